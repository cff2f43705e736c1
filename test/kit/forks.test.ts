/** Forks of conversations: the view that they send, and the effect of an undo. */

import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../client-claude/src/host.ts';
import { createViewStore } from '../../client-claude/src/viewStore.ts';
import { createConversation } from '../../kit/conversation.ts';
import { anthropicDialect } from '../../kit/dialects/anthropic.ts';
import type { Ask } from '../../kit/ports.ts';
import { getViewPath } from '../../server/node/heldViews.ts';
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

/** Returns the parts of Claude Code that a view store uses, with real files. */
function hostOf(home: string): Host {
	return {
		plugin: { root: home },
		// The timeout never fires, so a save ends when the view is stored.
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
	const warnings: string[] = [];
	const request = async (method: string, params: object): Promise<unknown> => {
		asked.push(method);
		return app.ask({ kind: 'request', method } as never, params as never);
	};
	const conversation = createConversation<Native>({
		sessionId,
		dialect: anthropicDialect,
		ask: request as Ask,
		clock: { now: () => performance.now() },
		store: createViewStore(hostOf(home), request),
		rules: { tokens: 4000, isClearedByHost: true },
		onWarning: (why) => warnings.push(why),
	});
	const send = async (raw: readonly Native[], folder = workspace) =>
		(await conversation.view(structuredClone([...raw]), { ...model, workspace: folder })).messages;
	return { conversation, send, asked, warnings };
}

const texts = (messages: readonly Native[]) => messages.map((one) => JSON.stringify(one));
const prompt = said('user', 'And now something else.');

/** Returns a conversation that was compacted and continued, with the messages that it sent last. */
async function compactedParent(sessionId = 'claude:parent') {
	const place = await ground();
	const raw = [...turns(6), said('user', 'What is left?')];
	const parent = conversationOf(place, sessionId);
	await parent.send(raw);
	expect((await parent.conversation.compact()).done).toBe(true);
	const sent = await parent.send(raw);
	expect(sent.length).toBeLessThan(raw.length);
	// This saves a second text, which is sent as a change of the first.
	await parent.conversation.isFirstSinceDecision();
	return { place, raw, parent, sent };
}

/** Returns whether a fork that continues the parent's list sends the parent's view. */
async function inherits(
	{ place, raw, sent }: Awaited<ReturnType<typeof compactedParent>>,
	{ sessionId = 'claude:fork', folder = workspace, list = [...raw, said('assistant', 'Nothing.'), prompt] },
): Promise<boolean> {
	const fork = conversationOf(place, sessionId);
	const messages = await fork.send(list, folder);
	expect(fork.warnings).toEqual([]);
	const isInherited = texts(messages.slice(0, sent.length)).join() === texts(sent).join();
	expect(messages.length).toBe(isInherited ? sent.length + list.length - raw.length : list.length);
	return isInherited;
}

describe('forks of a conversation', () => {
	it('a fork sends the view of its parent byte for byte, followed by new messages', async () => {
		const begun = await compactedParent();
		expect(await inherits(begun, {})).toBe(true);
	});

	it('a fork from an earlier message sends the view of its parent', async () => {
		const begun = await compactedParent();
		const { raw, parent } = begun;
		await parent.send([...raw, said('assistant', 'Step 7.'), said('user', 'Do it.')]);
		expect(await inherits(begun, { list: [...raw, said('assistant', 'Step 7.'), prompt] })).toBe(true);
	});

	it('a fork of a fork inherits from the conversation with more messages in common', async () => {
		const { place, raw } = await compactedParent();
		const fork = conversationOf(place, 'claude:fork');
		const longer = [...raw, said('assistant', 'Nothing.'), prompt, said('assistant', 'Which?')];
		await fork.send(longer.slice(0, -1));
		expect((await fork.conversation.compact()).done).toBe(true);
		const sent = await fork.send(longer.slice(0, -1));
		const second = await conversationOf(place, 'claude:second').send([...longer, said('user', 'This.')]);
		expect(texts(second).slice(0, sent.length)).toEqual(texts(sent));
	});

	it('undo in a fork does not change its parent', async () => {
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

	it('a compaction of a fork does not change its parent', async () => {
		const { place, raw, parent, sent } = await compactedParent();
		const fork = conversationOf(place, 'claude:fork');
		const list = [...raw, ...turns(20).slice(24), prompt];
		const before = await fork.send(list);
		expect((await fork.conversation.compact()).done).toBe(true);
		expect((await fork.send(list)).length).toBeLessThan(before.length);
		expect(texts(await parent.send(raw))).toEqual(texts(sent));
	});

	it('a fork inherits nothing from a session of another workspace or agent', async () => {
		expect(await inherits(await compactedParent(), { folder: 'file:///home/someone/other' })).toBe(false);
		expect(await inherits(await compactedParent('pi:parent'), {})).toBe(false);
	});

	it('a fork inherits nothing if its beginning differs', async () => {
		const begun = await compactedParent();
		const list = [said('user', 'Please do step 0 of another plan.'), ...begun.raw.slice(1), prompt];
		expect(await inherits(begun, { list })).toBe(false);
	});

	it('a fork inherits nothing from a view whose journal was replaced', async () => {
		const begun = await compactedParent();
		const path = getViewPath(begun.place.home, 'claude:parent');
		const [head = '', view = ''] = (await readFile(path, 'utf8')).split('\n');
		const other = { ...JSON.parse(head), journal: { generation: 1, records: 2 } };
		await writeFile(path, `${JSON.stringify(other)}\n${view}\n`);
		expect(await inherits(begun, {})).toBe(false);
	});
});

describe('conversations that are not forks', () => {
	it('a conversation that begins with a prompt never looks for a parent', async () => {
		const { send, asked } = conversationOf(await ground(), 'claude:one');
		await send(turns(1).slice(0, 1));
		await send(turns(2));
		expect(asked).not.toContain('session/inheritView');
	});

	it('a known conversation does not look for a parent in a new process', async () => {
		const { place, raw } = await compactedParent();
		const { send, asked } = conversationOf(place, 'claude:parent');
		await send(raw);
		expect(asked).not.toContain('session/inheritView');
	});
});
