import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getJournalPath } from '../../../server/node/journal/folder.ts';
import * as protocol from '../../../server/protocol/index.ts';
import { type App, freshFolder, startingApps } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soakFactor } from '../../support/soak.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const { start, stop } = startingApps();

const fork = (app: App, params: protocol.ForkParams) => app.ask(protocol.sessionFork, params);

const idsIn = async (app: App, sessionId: string) =>
	(await app.ask(protocol.sessionMessageIds, { sessionId })).messageIds;

const common = { sessionId: 'c', cwd: '/w', version: '2.0.0', timestamp: '2026-01-05T08:00:00.000Z' };
const transcript = [
	{ ...common, type: 'user', uuid: 'u1', message: { role: 'user', content: 'Explain the parser.' } },
	{
		...common,
		type: 'assistant',
		uuid: 'u2',
		parentUuid: 'u1',
		message: {
			id: 'msg_1',
			role: 'assistant',
			model: 'claude-sonnet-4-5',
			content: [{ type: 'text', text: 'It reads one line at a time.' }],
			usage: { input_tokens: 900, output_tokens: 12 },
		},
	},
];

/** Returns stats without the session id. */
async function figuresIn(app: App, sessionId: string) {
	const { sessionId: _, ...figures } = await statsIn(app, sessionId);
	return figures;
}

describe('session/fork', () => {
	it('session/fork copies a whole session with its figures', async () => {
		const app = await start();
		const reported = assistantSays('done', { id: 'reported', usage: { input: 4_000, output: 12 } });
		await begin(app, 's', [...work(3), reported], { title: 'mend' });
		await app.ask(protocol.sessionUpdate, { sessionId: 's', request: { systemPrompt: 'Be brief.' } });
		const forked = await fork(app, { sessionId: 's' });
		expect(forked).toMatchObject({ created: true, messageCount: 10, model: 'claude-sonnet-4' });
		expect(forked.sessionId).not.toBe('s');
		expect(await historyIn(app, forked.sessionId)).toEqual(await historyIn(app, 's'));
		expect(await figuresIn(app, forked.sessionId)).toEqual(await figuresIn(app, 's'));
	});

	it('session/fork ends after the tool batch of the named message, within one append', async () => {
		const app = await start();
		await begin(app, 's', work(4));
		await fork(app, { sessionId: 's', messageId: 'a1', newSessionId: 'new' });
		expect(await idsIn(app, 'new')).toEqual(['s', 'task', 'a0', 'r0', 'a1', 'r1']);
		const { matches } = await app.ask(protocol.contextRecall, { sessionId: 'new', query: 'n3' });
		expect(matches).toEqual([]);
	});

	it('session/fork makes two sessions that change independently', async () => {
		const app = await start();
		await begin(app, 's', conversation(6));
		await fork(app, { sessionId: 's', newSessionId: 'new' });
		const before = await historyIn(app, 's');
		await app.ask(protocol.sessionAppend, { sessionId: 'new', messages: [userSays('only here')] });
		await app.ask(protocol.sessionRewind, { sessionId: 'new', messageId: '' });
		expect(await historyIn(app, 's')).toEqual(before);
		await app.ask(protocol.sessionDelete, { sessionId: 's' });
		await app.ask(protocol.contextUndo, { sessionId: 'new' });
		expect(await historyIn(app, 'new')).toEqual([
			...before,
			expect.objectContaining({ content: 'only here' }),
		]);
	});

	it('session/fork keeps a compaction of the prefix, which undo reverts', async () => {
		const app = await start();
		await begin(app, 's', conversation(40, 120));
		const original = await historyIn(app, 's');
		await compactIn(app, 's');
		const compacted = await historyIn(app, 's');
		await app.ask(protocol.sessionAppend, { sessionId: 's', messages: [userSays('later', { id: 'later' })] });
		await compactIn(app, 's', { targetTokens: 200 });
		await fork(app, { sessionId: 's', messageId: 'm39', newSessionId: 'new' });
		expect(await historyIn(app, 'new')).toEqual(compacted);
		await app.ask(protocol.contextUndo, { sessionId: 'new' });
		expect(await historyIn(app, 'new')).toEqual(original);
	});

	it('session/fork can start from a message that a rewind removed', async () => {
		const app = await start();
		await begin(app, 's', work(4));
		await app.ask(protocol.sessionRewind, { sessionId: 's', messageId: 'r1' });
		await app.ask(protocol.sessionAppend, { sessionId: 's', messages: [userSays('other way')] });
		await fork(app, { sessionId: 's', messageId: 'r2', newSessionId: 'new' });
		expect(await idsIn(app, 'new')).toEqual(['s', 'task', 'a0', 'r0', 'a1', 'r1', 'a2', 'r2']);
	});

	it('session/fork includes an append that has not been answered yet', async () => {
		const app = await start({ home: freshFolder() });
		await begin(app, 's');
		const appended = app.ask(protocol.sessionAppend, { sessionId: 's', messages: conversation(200) });
		const { messageCount } = await fork(app, { sessionId: 's' });
		await appended;
		expect(messageCount).toBe(200);
	});

	it.each([
		['an unknown message', { messageId: 'nobody' }, 'MessageNotFound'],
		['an unknown session', { sessionId: 'none' }, 'SessionNotFound'],
		['its own id', { newSessionId: 's' }, 'newSessionId: expected an unused id'],
		['the id of an open session', { newSessionId: 'open' }, 'got "open"'],
		['the id of a stored session', { newSessionId: 'stored' }, 'got "stored"'],
	])('session/fork refuses %s', async (_, params, why) => {
		const home = freshFolder();
		const first = await start({ home });
		await begin(first, 'stored', conversation(2));
		await stop();
		const app = await start({ home });
		await begin(app, 's', conversation(4));
		await begin(app, 'open', conversation(2));
		const { data, message } = await app.refusal('session/fork', { sessionId: 's', ...params });
		expect(`${data?.kind}: ${message}`).toContain(why);
		expect((await app.ask(protocol.sessionList, {})).sessions).toHaveLength(3);
	});

	it('session/fork of a mirrored transcript creates a session of contextd', async () => {
		const app = await start();
		const path = join(freshFolder(), 'claude.jsonl');
		writeFileSync(path, transcript.map((line) => `${JSON.stringify(line)}\n`).join(''));
		const { sessionId } = await app.ask(protocol.contextImport, { path });
		await fork(app, { sessionId, newSessionId: 'new' });
		const { sessions } = await app.ask(protocol.sessionList, {});
		expect(sessions.find((one) => one.sessionId === sessionId)).toHaveProperty('source');
		const own = sessions.find((one) => one.sessionId === 'new');
		expect(own).not.toHaveProperty('source');
		expect(own).not.toHaveProperty('transcript');
		expect(await historyIn(app, 'new')).toEqual(await historyIn(app, sessionId));
	});

	it('session/fork restores the history before the next message, regardless of later changes', async () => {
		const app = await start();
		let sessions = 0;
		const action = fc.record({
			kind: fc.constantFrom('append', 'append', 'append', 'compact', 'undo', 'rewind', 'pin'),
			nth: fc.nat(30),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 12 }), async (actions) => {
				const sessionId = `p${sessions++}`;
				const ids = await begin(app, sessionId, conversation(4, 60));
				const shown = new Map<string, unknown>();
				let newest: string | undefined = ids.at(-1);
				const look = async (): Promise<void> => {
					if (newest !== undefined) shown.set(newest, await historyIn(app, sessionId));
				};
				for (const { kind, nth } of actions) {
					const messageId = ids[nth % ids.length] as string;
					await look();
					if (kind === 'append') {
						const messages = conversation(1 + (nth % 4), 60);
						const { messageIds } = await app.ask(protocol.sessionAppend, { sessionId, messages });
						ids.push(...messageIds);
						newest = messageIds.at(-1);
					} else if (kind === 'compact') await compactIn(app, sessionId);
					else if (kind === 'undo') await app.start('context/undo', { sessionId }).reply;
					else if (kind === 'pin')
						await app.ask(protocol.contextPin, { sessionId, messageIds: [messageId], pinned: true });
					else {
						const { hidden } = await app.ask(protocol.sessionRewind, { sessionId, messageId });
						if (hidden.length > 0) newest = undefined;
					}
				}
				await look();
				for (const [messageId, history] of shown) {
					const forked = await fork(app, { sessionId, messageId });
					expect(await historyIn(app, forked.sessionId)).toEqual(history);
				}
			}),
			{ numRuns: 6 * soakFactor },
		);
	});
});

describe('stored forks', () => {
	it('a fork is stored, with a placeholder for a message that is damaged', async () => {
		const home = freshFolder();
		await begin(await start({ home }), 's', conversation(4));
		await stop();
		const path = getJournalPath(home, 's');
		writeFileSync(path, readFileSync(path, 'utf8').replace('turn 2 lorem', 'turn 2 l0rem'));
		await fork(await start({ home }), { sessionId: 's', newSessionId: 'new' });
		await stop();
		const history = await historyIn(await start({ home }), 'new');
		expect(history).toHaveLength(4);
		expect(JSON.stringify(history[2])).toContain('is damaged on disk');
		expect(JSON.stringify(history[3])).toContain('turn 3 lorem');
	});

	it('an interrupted fork is not listed, and its id can be used again', async () => {
		const home = freshFolder();
		const first = await start({ home });
		await begin(first, 's', conversation(4));
		await fork(first, { sessionId: 's', newSessionId: 'new' });
		await stop();
		const path = getJournalPath(home, 'new');
		const whole = readFileSync(path, 'utf8');
		writeFileSync(path, whole.slice(0, whole.trimEnd().lastIndexOf('\n') + 1));
		const app = await start({ home });
		const { sessions } = await app.ask(protocol.sessionList, {});
		expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['s']);
		expect((await app.refusal('context/stats', { sessionId: 'new' })).data?.kind).toBe('SessionNotFound');
		expect((await fork(app, { sessionId: 's', newSessionId: 'new' })).messageCount).toBe(4);
	});
});
