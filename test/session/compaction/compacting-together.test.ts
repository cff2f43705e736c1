import { describe, expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { compactSession } from '../../../server/session/compaction/request.ts';
import type { Session } from '../../../server/session/session.ts';
import { setPins } from '../../../server/session/steps.ts';
import { toolSession, user } from '../../support/messages.ts';
import {
	compactNow,
	historyOf,
	recordsOf,
	sessionWith,
	type TestWorld,
	testWorld,
	unwatched,
} from '../../support/world.ts';

/** Returns a test world in which every pause waits for `open`. */
function gated(): TestWorld & { open(): void; reached: Promise<void> } {
	let open = (): void => undefined;
	let reach = (): void => undefined;
	const gate = new Promise<void>((done) => {
		open = done;
	});
	const reached = new Promise<void>((done) => {
		reach = done;
	});
	const test = testWorld({
		pause: () => {
			reach();
			return gate;
		},
	});
	return Object.assign(test, { open: () => open(), reached });
}

const order = { targetTokens: 3000 };
const visible = (session: Session) => session.state.view.map((unit) => unit.row.id);

describe('calls on a session while it is compacted', () => {
	it('a message appended during a compaction follows the compacted history', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const running = compactSession(session, order, unwatched(session));
		await test.reached;
		await appendMessages(session, [user('meanwhile', 'one more thing')], 'contextd', {
			client: session.client,
		});
		test.open();
		expect((await running)?.compacted).toBe(true);
		expect((await historyOf(session)).at(-1)?.id).toBe('meanwhile');
	});

	it('a message that is pinned during a compaction stays visible', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const running = compactSession(session, order, unwatched(session));
		await test.reached;
		await setPins(session, { messageIds: ['a3'], uris: [], pinned: true });
		test.open();
		expect((await running)?.compacted).toBe(true);
		expect(visible(session)).toContain('a3');
	});

	it('a second call with the same parameters joins the running compaction, one with others waits', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const first = compactSession(session, order, unwatched(session));
		const same = compactSession(session, { ...order }, unwatched(session));
		const other = compactSession(session, { targetTokens: 1500 }, unwatched(session));
		test.open();
		const results = await Promise.all([first, same, other]);
		expect(results[1]?.compactionId).toBe(results[0]?.compactionId);
		expect(results[2]?.tokensBefore).toBe(results[0]?.tokensAfter);
		expect((await recordsOf(test)).filter((record) => record.t === 'step')).toHaveLength(2);
	});

	it('prepare waits for a running compaction instead of compacting twice', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(60), { contextWindow: 40_000 });
		const first = compactSession(session, {}, unwatched(session));
		const prepared = prepareHistory(session, { format: 'contextd' }, unwatched(session));
		test.open();
		expect((await first)?.compacted).toBe(true);
		expect((await prepared).compaction).toBeNull();
	});
});

describe('cancelling a compaction', () => {
	it('a cancelled compaction leaves the session unchanged, and the next one works', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const before = { ids: visible(session), records: (await recordsOf(test)).length };
		const controller = new AbortController();
		const running = compactSession(session, order, { ...unwatched(session), signal: controller.signal });
		await test.reached;
		controller.abort(new Error('called off'));
		test.open();
		await expect(running).rejects.toThrow('called off');
		expect({ ids: visible(session), records: (await recordsOf(test)).length }).toEqual(before);
		expect((await compactNow(session, order)).compacted).toBe(true);
	});

	it('a compaction continues for callers that still wait for it', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const controller = new AbortController();
		const left = compactSession(session, order, { ...unwatched(session), signal: controller.signal });
		const stayed = compactSession(session, order, unwatched(session));
		await test.reached;
		controller.abort(new Error('called off'));
		await expect(left).rejects.toThrow('called off');
		test.open();
		expect((await stayed)?.compacted).toBe(true);
	});

	it('a compaction that is cancelled while it waits its turn never starts', async () => {
		const test = gated();
		const session = await sessionWith(test, toolSession(30));
		const first = compactSession(session, order, unwatched(session));
		const controller = new AbortController();
		const waiting = compactSession(
			session,
			{ targetTokens: 1500 },
			{ ...unwatched(session), signal: controller.signal },
		);
		await test.reached;
		controller.abort(new Error('called off'));
		await expect(waiting).rejects.toThrow('called off');
		test.open();
		await first;
		expect((await recordsOf(test)).filter((record) => record.t === 'step')).toHaveLength(1);
	});

	it('compaction refuses a call that was cancelled before it began', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30));
		const signal = AbortSignal.abort(new Error('called off'));
		await expect(compactSession(session, order, { ...unwatched(session), signal })).rejects.toThrow(
			'called off',
		);
		expect(await recordsOf(test)).toHaveLength(2);
	});
});
