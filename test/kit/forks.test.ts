/** A conversation that a host forked from another one: what its model is sent, and what undo does. */

import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../client-claude/src/host.ts';
import { viewStore } from '../../client-claude/src/viewStore.ts';
import { createConversation } from '../../kit/conversation.ts';
import { anthropicDialect } from '../../kit/dialects/anthropic.ts';
import type { Ask } from '../../kit/ports.ts';
import { viewPath } from '../../server/node/heldViews.ts';
import { contextHistory } from '../../server/protocol/history.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';
import { answered, called, type Native, said } from './conversations.ts';

const { start } = startingApps();
const workspace = 'file:///home/someone/project';
const model = { provider: 'anthropic', model: 'claude-sonnet-4-5', contextWindow: 200_000 };

function turns(count: number): Native[] {
	return Array.from({ length: count }, (_, no) => [
		said('user', `Please do step ${no} of the plan.`),
		called(`call-${no}`, 'Bash', { command: `make step${no}` }),
		answered(`call-${no}`, `module ${no} was built in ${no} ms\n`.repeat(150)),
		said('assistant', `Step ${no} is done.`),
	]).flat();
}

/** A daemon with its state folder. */
interface Ground {
	app: App;
	home: string;
}

async function ground(): Promise<Ground> {
	const home = freshFolder();
	return { app: await start({ home }), home };
}

/** The parts of Claude Code that a view store uses, over real files. */
function hostOf(home: string): Host {
	return {
		plugin: { root: home },
		// Nothing is too late: a save ends when the view is stored.
		clock: { sleep: () => new Promise<void>(() => {}) },
		fs: {
			read: async () => JSON.stringify({ argv: [], stateFolder: home, settings: '' }),
			size: async (path: string) => (await stat(path)).size,
			async bytes(path: string, offset: number, length: number) {
				const file = await open(path);
				const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
				await file.close();
				return buffer.subarray(0, bytesRead);
			},
		},
	} as unknown as Host;
}

function conversationOf({ app, home }: Ground, sessionId: string) {
	const asked: string[] = [];
	const asides: string[] = [];
	const request = async (method: string, params: object): Promise<unknown> => {
		asked.push(method);
		return app.ask({ kind: 'request', method } as never, params as never);
	};
	const conversation = createConversation<Native>({
		sessionId,
		dialect: anthropicDialect,
		ask: request as Ask,
		clock: { now: () => performance.now() },
		store: viewStore(hostOf(home), request),
		rules: { tokens: 4000, isClearedByHost: true },
		onWarning: (why) => asides.push(why),
	});
	const send = async (raw: readonly Native[], folder = workspace) =>
		(await conversation.view(structuredClone([...raw]), { ...model, workspace: folder })).messages;
	return { conversation, send, asked, asides };
}

const texts = (messages: readonly Native[]) => messages.map((one) => JSON.stringify(one));
const prompt = said('user', 'And now something else.');

/** A conversation that was compacted and has gone on, and what it was sent last. */
async function compactedParent(sessionId = 'claude:parent') {
	const place = await ground();
	const raw = [...turns(6), said('user', 'What is left?')];
	const parent = conversationOf(place, sessionId);
	await parent.send(raw);
	expect((await parent.conversation.compact()).done).toBe(true);
	const sent = await parent.send(raw);
	expect(sent.length).toBeLessThan(raw.length);
	// It is saved behind what was saved before.
	await parent.conversation.isFirstSinceDecision();
	return { place, raw, parent, sent };
}

/** Whether a fork's list that goes on with the parent's is sent with the parent's view. */
async function inherits(
	{ place, raw, sent }: Awaited<ReturnType<typeof compactedParent>>,
	{ sessionId = 'claude:fork', folder = workspace, list = [...raw, said('assistant', 'Nothing.'), prompt] },
): Promise<boolean> {
	const fork = conversationOf(place, sessionId);
	const messages = await fork.send(list, folder);
	expect(fork.asides).toEqual([]);
	const isInherited = texts(messages.slice(0, sent.length)).join() === texts(sent).join();
	expect(messages.length).toBe(isInherited ? sent.length + list.length - raw.length : list.length);
	return isInherited;
}

describe('a fork', () => {
	it('is sent the view of its parent, byte for byte, and what is new', async () => {
		const begun = await compactedParent();
		expect(await inherits(begun, {})).toBe(true);
	});

	it('is sent the view of its parent, although it leaves the parent at an earlier message', async () => {
		const begun = await compactedParent();
		const { raw, parent } = begun;
		await parent.send([...raw, said('assistant', 'Step 7.'), said('user', 'Do it.')]);
		expect(await inherits(begun, { list: [...raw, said('assistant', 'Step 7.'), prompt] })).toBe(true);
	});

	it('inherits from a fork, and from the one with more in common', async () => {
		const { place, raw } = await compactedParent();
		const fork = conversationOf(place, 'claude:fork');
		const longer = [...raw, said('assistant', 'Nothing.'), prompt, said('assistant', 'Which?')];
		await fork.send(longer.slice(0, -1));
		expect((await fork.conversation.compact()).done).toBe(true);
		const sent = await fork.send(longer.slice(0, -1));
		const second = await conversationOf(place, 'claude:second').send([...longer, said('user', 'This.')]);
		expect(texts(second).slice(0, sent.length)).toEqual(texts(sent));
	});

	it('takes the compaction back without a change to its parent', async () => {
		const { place, raw, parent, sent } = await compactedParent();
		const list = [...raw, said('assistant', 'Nothing.'), prompt];
		const fork = conversationOf(place, 'claude:fork');
		await fork.send(list);
		expect(await fork.conversation.undo()).toMatchObject({ done: true });
		expect(texts(await fork.send(list))).toEqual(texts(list));
		const { messages } = await place.app.ask(contextHistory, { sessionId: 'claude:fork' });
		expect(JSON.stringify(messages)).toContain('Please do step 3 of the plan.');
		expect(texts(await parent.send(list)).slice(0, sent.length)).toEqual(texts(sent));
		expect(await parent.conversation.undo()).toMatchObject({ done: true });
	});

	it('is compacted on its own, and its parent is not', async () => {
		const { place, raw, parent, sent } = await compactedParent();
		const fork = conversationOf(place, 'claude:fork');
		const list = [...raw, ...turns(20).slice(24), prompt];
		const before = await fork.send(list);
		expect((await fork.conversation.compact()).done).toBe(true);
		expect((await fork.send(list)).length).toBeLessThan(before.length);
		expect(texts(await parent.send(raw))).toEqual(texts(sent));
	});

	it('inherits nothing from a session of another workspace or another agent', async () => {
		expect(await inherits(await compactedParent(), { folder: 'file:///home/someone/other' })).toBe(false);
		expect(await inherits(await compactedParent('pi:parent'), {})).toBe(false);
	});

	it('inherits nothing if its beginning differs', async () => {
		const begun = await compactedParent();
		const list = [said('user', 'Please do step 0 of another plan.'), ...begun.raw.slice(1), prompt];
		expect(await inherits(begun, { list })).toBe(false);
	});

	it('inherits nothing from a parent whose journal is not the one of its view', async () => {
		const begun = await compactedParent();
		const path = viewPath(begun.place.home, 'claude:parent');
		const [head = '', view = ''] = (await readFile(path, 'utf8')).split('\n');
		const other = { ...JSON.parse(head), journal: { generation: 1, records: 2 } };
		await writeFile(path, `${JSON.stringify(other)}\n${view}\n`);
		expect(await inherits(begun, {})).toBe(false);
	});
});

describe('a conversation that is no fork', () => {
	it('looks for no parent when it begins with a prompt, nor later', async () => {
		const { send, asked } = conversationOf(await ground(), 'claude:one');
		await send(turns(1).slice(0, 1));
		await send(turns(2));
		expect(asked).not.toContain('session/inheritView');
	});

	it('looks for no parent in a new process', async () => {
		const { place, raw } = await compactedParent();
		const { send, asked } = conversationOf(place, 'claude:parent');
		await send(raw);
		expect(asked).not.toContain('session/inheritView');
	});
});
