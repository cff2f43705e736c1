import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../../server/protocol/compact.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { contextCount } from '../../../server/protocol/measuring.ts';
import {
	sessionAppend,
	sessionClose,
	sessionDelete,
	sessionList,
	sessionOpen,
	sessionUpdate,
} from '../../../server/protocol/session.ts';
import { contextStats } from '../../../server/protocol/stats.ts';
import { freshFolder, startingApps, testServices } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const { start } = startingApps();

describe('session/open', () => {
	it('session/open gives a new session an unused id', async () => {
		const app = await start();
		const [a, b] = await Promise.all([app.ask(sessionOpen, {}), app.ask(sessionOpen, {})]);
		expect(a.created && b.created && a.sessionId !== b.sessionId).toBe(true);
	});

	it('session/open resumes a stored session', async () => {
		const home = freshFolder();
		const first = await start({ home });
		await begin(first, 's', [userSays('a'), assistantSays('b')]);
		await first.stop();
		const second = await start({ home });
		expect(await second.ask(sessionOpen, { sessionId: 's' })).toEqual({
			sessionId: 's',
			created: false,
			messageCount: 2,
			provider: 'anthropic',
			model: 'claude-sonnet-4',
			revision: 0,
			journal: { generation: expect.any(Number), records: 2 },
		});
	});

	it('session/open stores the first workspace folder with a new session, and keeps that of an old one', async () => {
		const home = freshFolder();
		const folders = (uri: string) => ({ initialize: { workspaceFolders: [{ uri, name: 'x' }] } });
		const first = await start({ home, ...folders('file:///one') });
		await begin(first, 's');
		await first.stop();
		const second = await start({ home, ...folders('file:///two') });
		await second.ask(sessionOpen, { sessionId: 's' });
		const { sessions } = await second.ask(sessionList, {});
		expect(sessions.map(({ workspace }) => workspace)).toEqual(['file:///one']);
	});
});

describe('requests for sessions on disk', () => {
	it('a request that names a session on disk opens it', async () => {
		const home = freshFolder();
		const first = await start({ home });
		await begin(first, 's', conversation(8, 400));
		const compacted = await first.ask(contextCompact, { sessionId: 's' });
		await first.stop();
		const second = await start({ home });
		const stats = await statsIn(second, 's');
		expect(stats.breakdown.conversationHistory).toBe(compacted?.tokensAfter);
		expect(stats.lastCompaction?.compactionId).toBe(compacted?.compactionId);
		await second.ask(contextUndo, { sessionId: 's' });
		expect(await historyIn(second, 's')).toEqual(conversation(8, 400));
	});
});

describe('session/update', () => {
	it('session/update answers like session/open', async () => {
		const app = await start();
		await begin(app, 's', [userSays('a')]);
		expect(await app.ask(sessionUpdate, { sessionId: 's', model: 'claude-opus-4', title: 't' })).toEqual({
			sessionId: 's',
			created: false,
			messageCount: 1,
			provider: 'anthropic',
			model: 'claude-opus-4',
			revision: 0,
			journal: { generation: expect.any(Number), records: 3 },
		});
	});

	it('session/update counts the history for another model before a later call sees it', async () => {
		const app = await start({ initialize: { initializationOptions: { estimator: 'exact' } } });
		await begin(app, 's', [
			userSays('const answer = 42; // lorem ipsum '.repeat(200)),
			assistantSays('fine'),
		]);
		const before = await statsIn(app, 's');
		const [, after] = await Promise.all([
			app.ask(sessionUpdate, {
				sessionId: 's',
				provider: 'openai',
				model: 'gpt-4o',
				request: { systemPrompt: 'be brief' },
			}),
			statsIn(app, 's'),
		]);
		expect(after.model).toBe('gpt-4o');
		expect(after.breakdown.conversationHistory).not.toBe(before.breakdown.conversationHistory);
		expect(after.breakdown.systemPrompt).toBeGreaterThan(0);
		expect(await statsIn(app, 's')).toEqual(after);
	});

	it('session/update drops the usage that another model reported', async () => {
		const app = await start();
		await begin(app, 's', [userSays('a'), assistantSays('b', { usage: { input: 5000, output: 10 } })]);
		expect((await statsIn(app, 's')).source).toBe('reported');
		await app.ask(sessionUpdate, { sessionId: 's', model: 'claude-opus-4' });
		const after = await statsIn(app, 's');
		expect([after.source, after.breakdown.other]).toEqual(['estimated', 0]);
	});

	it('session/update is stored with the request and survives a restart', async () => {
		const home = freshFolder();
		const first = await start({ home });
		await begin(first, 's', conversation(4));
		const request = {
			systemPrompt: 'be brief '.repeat(20),
			toolDefinitions: [{ name: 'run' }],
			maxOutputTokens: 1000,
		};
		await first.ask(sessionUpdate, {
			sessionId: 's',
			model: 'claude-opus-4',
			contextWindow: 50_000,
			request,
		});
		const before = await statsIn(first, 's');
		await first.stop();
		const second = await start({ home });
		expect(await statsIn(second, 's')).toEqual(before);
		expect(before.contextWindow).toBe(50_000);
		expect(before.outputReserve).toBe(1000);
	});
});

describe('session/list', () => {
	it('session/list sorts sessions by their last change, and filters by workspace', async () => {
		const app = await start({ home: freshFolder() });
		for (const [id, workspace] of [
			['a', 'file:///x'],
			['b', 'file:///y'],
			['c', 'file:///x/'],
		] as const) {
			await begin(app, id, [userSays(id)], { workspace, title: `title ${id}` });
			await new Promise((resolve) => setTimeout(resolve, 3));
		}
		await app.ask(sessionAppend, { sessionId: 'a', messages: [userSays('again')] });
		const { sessions } = await app.ask(sessionList, {});
		expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['a', 'c', 'b']);
		expect(sessions[0]).toMatchObject({
			title: 'title a',
			messageCount: 2,
			provider: 'anthropic',
			workspace: 'file:///x',
		});
		expect(sessions[0]?.updatedAt).toBeGreaterThanOrEqual(sessions[0]?.createdAt ?? Number.NaN);
		const inX = await app.ask(sessionList, { workspace: 'file:///x' });
		expect(inX.sessions.map(({ sessionId }) => sessionId)).toEqual(['a', 'c']);
	});

	it('session/list with a session id returns that session and those of its subagents', async () => {
		const app = await start({ home: freshFolder() });
		const ids = ['claude:a', 'claude:a/explore', 'claude:a/plan', 'claude:ab', 'claude:b/explore'];
		for (const id of ids) await begin(app, id, [userSays(id)]);
		const listed = async (sessionId: string) =>
			(await app.ask(sessionList, { sessionId })).sessions.map((one) => one.sessionId).sort();
		expect(await listed('claude:a')).toEqual(['claude:a', 'claude:a/explore', 'claude:a/plan']);
		expect(await listed('claude:b')).toEqual(['claude:b/explore']);
		expect(await listed('claude:c')).toEqual([]);
	});

	it('session/list ignores files that are not sessions', async () => {
		const home = freshFolder();
		await mkdir(join(home, 'sessions'), { recursive: true });
		await writeFile(join(home, 'sessions', 'foreign.jsonl'), '{"hello":1}\n');
		await writeFile(join(home, 'sessions', 'empty.jsonl'), '');
		const app = await start({ home });
		await begin(app, 's', [userSays('a')]);
		expect((await app.ask(sessionList, {})).sessions).toHaveLength(1);
	});
});

describe('session/close and session/delete', () => {
	it('session/close keeps the stored session', async () => {
		const home = freshFolder();
		const app = await start({ home });
		await begin(app, 's', [userSays('a')]);
		expect(await app.ask(sessionClose, { sessionId: 's' })).toEqual({});
		expect(await readdir(join(home, 'sessions'))).toEqual(['s.jsonl']);
		expect(await historyIn(app, 's')).toEqual([userSays('a')]);
	});

	it('session/delete removes the session for good; later calls find none', async () => {
		const home = freshFolder();
		const app = await start({ home });
		await begin(app, 's', [userSays('a')]);
		const deleted = app.ask(sessionDelete, { sessionId: 's' });
		const behind = app.refusal('session/append', { sessionId: 's', messages: [userSays('b')] });
		expect([await deleted, (await behind).code]).toEqual([{}, -31999]);
		expect(await readdir(join(home, 'sessions'))).toEqual([]);
	});

	it('a deleted id can be used again, and shows nothing of the old session', async () => {
		const app = await start({ home: freshFolder() });
		await begin(app, 's', [userSays('the old one')]);
		expect(await historyIn(app, 's')).toEqual([userSays('the old one')]);
		await app.ask(sessionDelete, { sessionId: 's' });
		await begin(app, 's', [userSays('the new one')]);
		expect(await historyIn(app, 's')).toEqual([userSays('the new one')]);
	});

	it('a running compaction succeeds if its session is closed, and fails if it is deleted', async () => {
		const app = await start({ home: freshFolder() });
		await begin(app, 'closed', conversation(600, 60));
		await begin(app, 'deleted', conversation(600, 60));
		const compacting = app.ask(contextCompact, { sessionId: 'closed' });
		const refused = app.refusal('context/compact', { sessionId: 'deleted' });
		await Promise.all([
			app.ask(sessionClose, { sessionId: 'closed' }),
			app.ask(sessionDelete, { sessionId: 'deleted' }),
		]);
		expect((await compacting)?.outcome).toBe('compacted');
		expect((await refused).code).toBe(-31999);
		expect((await statsIn(app, 'closed')).lastCompaction).toBeDefined();
	});

	it('requests that are sent without waiting each find what came before', async () => {
		const app = await start({ home: freshFolder() });
		const append = (content: string) =>
			app.ask(sessionAppend, { sessionId: 's', messages: [userSays(content)] });
		const [, , , missing, , , history, , again] = await Promise.all([
			app.ask(sessionOpen, { sessionId: 's' }),
			append('1'),
			app.ask(sessionDelete, { sessionId: 's' }),
			app.refusal('session/append', { sessionId: 's', messages: [userSays('2')] }),
			app.ask(sessionOpen, { sessionId: 's' }),
			append('3'),
			app.ask(contextHistory, { sessionId: 's' }),
			app.ask(sessionClose, { sessionId: 's' }),
			historyIn(app, 's'),
		]);
		expect(missing.code).toBe(-31999);
		expect([history.messages, again]).toEqual([[userSays('3')], [userSays('3')]]);
	});
});

describe('more sessions than may be open', () => {
	it('sessions beyond maxSessions are closed, and reopened when they are used', async () => {
		const services = testServices();
		const app = await start({
			home: freshFolder(),
			services,
			initialize: { initializationOptions: { estimator: 'heuristic', storage: { maxSessions: 2 } } },
		});
		const ids = ['a', 'b', 'c', 'd', 'e'];
		for (const id of ids) await begin(app, id);
		for (let round = 1; round <= 6; round++) {
			const asked = ids.flatMap((id) => [
				app.ask(sessionAppend, { sessionId: id, messages: [userSays(`${id} ${round}`)] }),
				statsIn(app, id).then((stats) => expect(stats.messageCount).toBe(round)),
			]);
			await Promise.all(asked);
		}
		for (const id of ids)
			expect(await historyIn(app, id)).toEqual([1, 2, 3, 4, 5, 6].map((round) => userSays(`${id} ${round}`)));
		await expect.poll(() => services.countOpenSessions()).toBe(2);
		await services.close();
	});
});

describe('a state folder that is a file', () => {
	it('a state folder that is a file fails only calls that need storage', async () => {
		const home = join(freshFolder(), 'file');
		await writeFile(home, '');
		const app = await start({ home });
		for (const method of ['session/open', 'session/list']) {
			const { code, data, message } = await app.refusal(method, {});
			expect([method, code, data?.kind]).toEqual([method, -31992, 'StorageFailed']);
			expect(message).toContain(home);
		}
		expect(await app.ask(contextCount, { text: 'x' })).toMatchObject({ withinBudget: true });
	});
});

describe('sessions without storage', () => {
	it('sessions without storage stay in memory beyond maxSessions, and nothing is written', async () => {
		const home = freshFolder();
		const setup = {
			home,
			environment: { CONTEXTD_MEMORY_ENABLED: 'false', CONTEXTD_MEMORY_MAX_SESSIONS: '1' },
		};
		const app = await start(setup);
		await begin(app, 'a', conversation(8, 400));
		await begin(app, 'b', [userSays('x')]);
		const compacted = await app.ask(contextCompact, { sessionId: 'a' });
		expect(compacted?.outcome).toBe('compacted');
		await app.ask(contextStats, { sessionId: 'b' });
		await app.ask(contextUndo, { sessionId: 'a' });
		expect(await historyIn(app, 'a')).toEqual(conversation(8, 400));
		expect((await app.ask(sessionList, {})).sessions).toHaveLength(2);
		await app.ask(sessionDelete, { sessionId: 'a' });
		expect((await app.refusal('context/stats', { sessionId: 'a' })).code).toBe(-31999);
		expect(await readdir(home)).toEqual([]);
	});

	it('a client can turn storage off', async () => {
		const home = freshFolder();
		const app = await start({ home, initialize: { initializationOptions: { storage: { enabled: false } } } });
		await begin(app, 'a', [userSays('x')]);
		expect(await readdir(home)).toEqual([]);
	});
});

it('sessions are stored in storage.directory', async () => {
	const [home, elsewhere] = [freshFolder(), freshFolder()];
	const app = await start({
		home,
		initialize: { initializationOptions: { storage: { directory: elsewhere } } },
	});
	await begin(app, 's', [userSays('x')]);
	expect([await readdir(home), await readdir(elsewhere)]).toEqual([[], ['sessions']]);
});
