import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { contextPin } from '../../server/protocol/history.ts';
import {
	sessionAppend,
	sessionClose,
	sessionDelete,
	sessionList,
	sessionOpen,
} from '../../server/protocol/session.ts';
import { cleanUp, type Daemon, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { begin, conversation, historyIn, statsIn } from '../support/talk.ts';

let holder: Daemon;
let other: Daemon;

const setup = {
	initialize: {
		initializationOptions: { estimator: 'heuristic' },
		capabilities: { experimental: { contextd: { notifications: true } } },
	},
};

beforeEach(async () => {
	holder = await startDaemon(setup);
	other = await startDaemon({ ...setup, home: holder.home });
	await begin(holder, 's', conversation(10, 100));
});

afterEach(cleanUp);

/** The process that holds the session. */
async function lockedBy(): Promise<number> {
	const [name = ''] = await readdir(join(holder.home, 'sessions', 's.lock'));
	return Number(name.split('.')[0]);
}

const follow = () => other.ask(sessionOpen, { sessionId: 's', readOnly: true });

describe('a session that one daemon holds', () => {
	it('is served by another all the same, which reads its journal and asks its holder to write', async () => {
		expect(await other.ask(sessionOpen, { sessionId: 's' })).toMatchObject({
			created: false,
			messageCount: 10,
		});
		expect((await statsIn(other, 's')).messageCount).toBe(10);
		const { messageIds } = await other.ask(sessionAppend, {
			sessionId: 's',
			messages: [userSays('from afar')],
		});
		expect(messageIds).toEqual([expect.stringMatching(/^m-[0-9a-f-]{36}-0$/)]);
		expect(await historyIn(other, 's')).toHaveLength(11);
		expect(await historyIn(holder, 's')).toEqual(await historyIn(other, 's'));
		const result = await other.ask(contextCompact, { sessionId: 's' });
		expect(result).toMatchObject({ outcome: 'compacted' });
		expect(await historyIn(holder, 's')).toEqual(await historyIn(other, 's'));
		const { undone } = await other.ask(contextUndo, { sessionId: 's' });
		expect(undone).toEqual([result?.compactionId]);
		expect(await historyIn(holder, 's')).toHaveLength(11);
		expect(await other.ask(contextPin, { sessionId: 's', messageIds: ['m2'], pinned: true })).toEqual({
			pinned: ['m2'],
		});
		const { sessions } = await other.ask(sessionList, {});
		expect(sessions).toMatchObject([{ sessionId: 's', messageCount: 11 }]);
		await other.ask(sessionDelete, { sessionId: 's' });
		expect((await holder.refusal('context/stats', { sessionId: 's' })).code).toBe(-31999);
	});

	it('takes errors back as they are', async () => {
		for (const [method, params, code] of [
			['session/append', { messages: [{ role: 'robot' }] }, -32602],
			['context/undo', { compactionId: 'none' }, -31996],
			['context/rollback', { checkpointId: 'none' }, -31995],
			['session/rewind', { messageId: 'none' }, -31997],
		] as const) {
			expect([method, (await other.refusal(method, { sessionId: 's', ...params })).code]).toEqual([
				method,
				code,
			]);
		}
	});

	it('passes to another when it is closed, and when its holder dies', async () => {
		await holder.ask(sessionClose, { sessionId: 's' });
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('mine')] });
		expect(await lockedBy()).toBe(other.process.pid);
		await holder.ask(sessionAppend, { sessionId: 's', messages: [userSays('through the other')] });
		await other.kill();
		await holder.ask(sessionAppend, { sessionId: 's', messages: [userSays('mine again')] });
		expect(await lockedBy()).toBe(holder.process.pid);
		expect((await historyIn(holder, 's')).slice(-3)).toMatchObject([
			{ content: 'mine' },
			{ content: 'through the other' },
			{ content: 'mine again' },
		]);
	});
});

describe('a session that is followed', () => {
	it('shows what its holder does, live', async () => {
		expect(await follow()).toMatchObject({ created: false, messageCount: 10 });
		await holder.ask(sessionAppend, { sessionId: 's', messages: [userSays('new')] });
		await other.told(
			'context/didChange',
			({ stats }: { stats: { messageCount: number } }) => stats.messageCount === 11,
		);
		expect(await historyIn(other, 's')).toEqual(await historyIn(holder, 's'));
		await holder.ask(contextCompact, { sessionId: 's' });
		await expect.poll(() => statsIn(other, 's')).toEqual(await statsIn(holder, 's'));
		const told = await other.told('context/didCompact');
		expect(told).toMatchObject({
			sessionId: 's',
			result: { outcome: 'compacted', removed: expect.anything() },
		});
	});

	it('takes no writes: -31987', async () => {
		await follow();
		const writes: [string, Record<string, unknown>][] = [
			['session/append', { messages: [userSays('x')] }],
			['session/append', { messages: [] }],
			['session/update', { title: 'x' }],
			['session/rewind', { messageId: 'm0' }],
			['session/reportUsage', { messageId: 'm1', usage: { input: 1, output: 1 } }],
			['session/delete', {}],
			['context/compact', {}],
			['context/undo', {}],
			['context/checkpoint', {}],
			['context/pin', { messageIds: ['m0'], pinned: true }],
			['context/recover', { error: 'prompt is too long' }],
		];
		for (const [method, params] of writes) {
			const { code, data } = await other.refusal(method, { sessionId: 's', ...params });
			expect([method, code, data?.kind]).toEqual([method, -31987, 'ReadOnlySession']);
		}
		expect(await historyIn(other, 's')).toHaveLength(10);
	});

	it('can be prepared and looked at', async () => {
		await follow();
		for (const method of [
			'context/prepare',
			'context/timeline',
			'context/checkpoints',
			'context/history',
			'context/stats',
		]) {
			expect([method, (await other.start(method, { sessionId: 's' }).reply).error]).toEqual([
				method,
				undefined,
			]);
		}
		expect(
			(await other.start('context/compact', { sessionId: 's', dryRun: true }).reply).result,
		).toMatchObject({ outcome: 'compacted' });
	});

	it('is followed on when it had to leave memory', async () => {
		const small = await startDaemon({
			home: holder.home,
			environment: { CONTEXTD_MEMORY_MAX_SESSIONS: '1' },
		});
		await small.ask(sessionOpen, { sessionId: 's', readOnly: true });
		await begin(small, 'own', [userSays('x')]);
		expect((await statsIn(small, 's')).messageCount).toBe(10);
		expect((await small.refusal('session/append', { sessionId: 's', messages: [userSays('x')] })).code).toBe(
			-31987,
		);
	});

	it('can be taken over once its holder is gone, with all that it wrote', async () => {
		await follow();
		await holder.ask(sessionAppend, { sessionId: 's', messages: [userSays('last words')] });
		await holder.kill();
		expect(await other.ask(sessionOpen, { sessionId: 's' })).toMatchObject({
			created: false,
			messageCount: 11,
		});
		await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('mine')] });
		expect((await historyIn(other, 's')).slice(-2)).toEqual([userSays('last words'), userSays('mine')]);
	});

	it('is gone when its holder deletes it', async () => {
		await follow();
		await holder.ask(sessionDelete, { sessionId: 's' });
		await expect
			.poll(async () => (await other.start('context/stats', { sessionId: 's' }).reply).error?.code)
			.toBe(-31999);
	});

	it('leaves no file open when it is closed', async () => {
		await follow();
		await other.ask(sessionClose, { sessionId: 's' });
		expect(await openSessions(other)).toEqual([]);
	});
});

/** The journals that a daemon has open, where the system tells. */
async function openSessions(daemon: Daemon): Promise<string[]> {
	if (process.platform !== 'linux') return [];
	const folder = `/proc/${daemon.process.pid}/fd`;
	const links = await Promise.all(
		(await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
	);
	return links.filter((link) => link.endsWith('.jsonl'));
}

it('holds no more files and locks open than sessions may be', async () => {
	const daemon = await startDaemon({ ...setup, environment: { CONTEXTD_MEMORY_MAX_SESSIONS: '2' } });
	const ids = ['a', 'b', 'c', 'd', 'e'];
	for (const id of ids) await begin(daemon, id);
	for (let round = 1; round <= 10; round++) {
		await Promise.all(
			ids.map((id) => daemon.ask(sessionAppend, { sessionId: id, messages: [userSays(`${round}`)] })),
		);
	}
	await expect.poll(async () => (await openSessions(daemon)).length).toBeLessThanOrEqual(2);
	const locks = async () =>
		(await readdir(join(daemon.home, 'sessions'))).filter((name) => name.endsWith('.lock'));
	await expect.poll(async () => (await locks()).length).toBe(2);
	await daemon.quit();
	expect(await locks()).toEqual([]);
});
