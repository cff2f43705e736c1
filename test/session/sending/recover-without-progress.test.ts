import { expect, it, vi } from 'vitest';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { readContextUsage } from '../../../server/session/contextUsage.ts';
import { logLines, system, toolSession, user } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { compactNow, historyOf, recordsOf, sessionWith, testWorld, unwatched } from '../../support/world.ts';

const overflow = { message: 'prompt is too long: 9000 tokens > 8000 maximum' };
const format = 'contextd' as const;

it('recovery offers no other request if nothing can be removed, with a reason, also at a second attempt', async () => {
	const world = testWorld();
	const messages = [system('s0', logLines(400)), user('u0', 'Go.')];
	const session = await sessionWith(world, messages, { contextWindow: 8_000 });
	for (const attempt of [1, 2]) {
		const answer = await recoverFromError(session, { error: overflow, format }, unwatched(session));
		expect(answer).toMatchObject({ attempt, isContextOverflow: true, retryable: false });
		expect(answer.reason?.startsWith(`${answer.reasonCode}: `)).toBe(true);
		expect(answer.messages).toBeUndefined();
		expect(answer.compaction?.compacted ?? false).toBe(false);
	}
	expect(await historyOf(session)).toEqual(messages);
	expect((await recordsOf(world)).some((record) => record.t === 'step')).toBe(false);
});

it('recovery does not send a history a third time that cannot get smaller', async () => {
	const world = testWorld();
	const session = await sessionWith(world, toolSession(40), { contextWindow: 40_000 });
	const same = { message: 'prompt is too long: 30000 tokens > 1100 maximum' };
	const answers = [];
	for (let times = 0; times < 5; times++) {
		answers.push(await recoverFromError(session, { error: same, format }, unwatched(session)));
	}
	expect(answers.slice(2).every(({ reasonCode }) => reasonCode === 'attempts_exhausted')).toBe(true);
	expect(world.compacted.length).toBeLessThanOrEqual(2);
});

it('recovery asks no model, so that none can overflow', async () => {
	const ask = vi.fn(() => Promise.reject(new Error('prompt is too long: 210000 tokens > 200000 maximum')));
	const world = testWorld(offering(ask));
	const session = await sessionWith(world, toolSession(40), { contextWindow: 40_000 });
	const answer = await recoverFromError(session, { error: overflow, format }, unwatched(session));
	expect(answer.retryable).toBe(true);
	expect(ask).not.toHaveBeenCalled();
});

it('recovery reports a compaction that fails, counts one attempt, and changes nothing', async () => {
	const pause = vi.fn(async () => undefined);
	const world = testWorld({ pause });
	const messages = toolSession(40);
	const session = await sessionWith(world, messages, { contextWindow: 40_000 });
	const before = await readContextUsage(session, session.client);
	pause.mockImplementation(() => Promise.reject(new RangeError('Maximum call stack size exceeded')));
	expect(await recoverFromError(session, { error: overflow, format }, unwatched(session))).toMatchObject({
		isContextOverflow: true,
		retryable: false,
		attempt: 1,
		reasonCode: 'compaction_failed',
		reason: expect.stringContaining('call stack'),
	});
	pause.mockImplementation(async () => undefined);
	expect(await historyOf(session)).toEqual(messages);
	expect((await recordsOf(world)).filter(({ t }) => t === 'step')).toEqual([]);
	expect(await readContextUsage(session, session.client)).toEqual(before);
	await world.store.run('s', world.client, (again) => expect(again).toBe(session));
	expect(await recoverFromError(session, { error: overflow, format }, unwatched(session))).toMatchObject({
		retryable: true,
		attempt: 2,
	});
});

it('recovery does not report a cancelled call as a failed compaction', async () => {
	const controller = new AbortController();
	const world = testWorld({
		pause: async () => controller.abort(new Error('the caller left')),
	});
	const session = await sessionWith(world, toolSession(40), { contextWindow: 40_000 });
	const watcher = { ...unwatched(session), signal: controller.signal };
	await expect(recoverFromError(session, { error: overflow, format }, watcher)).rejects.toThrow(
		'the caller left',
	);
});

it('recovery retries if a compaction that it waited for made room', async () => {
	const world = testWorld();
	const session = await sessionWith(world, toolSession(30), { contextWindow: 30_000 });
	const { tokens } = (await readContextUsage(session, session.client)).meterReading;
	const error = { message: `prompt is too long: ${tokens} tokens > ${Math.round(tokens * 0.9)} maximum` };
	const [, recovered] = await Promise.all([
		compactNow(session, { targetTokens: 5_000 }),
		recoverFromError(session, { error, format: 'contextd' }, unwatched(session)),
	]);
	expect(recovered).toMatchObject({ retryable: true, compaction: { reasonCode: 'below_target' } });
	expect(recovered.messages).toEqual(await historyOf(session));
	expect(world.compacted).toHaveLength(1);
});
