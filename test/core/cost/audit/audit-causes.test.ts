import { describe, expect, test } from 'vitest';
import { auditSessions } from '../../../../server/core/cost/audit/audit.ts';
import type { CostCause } from '../../../../server/core/cost/audit/causes.ts';
import type { ModelCall } from '../../../../server/core/transcript/reading/calls.ts';
import type { Usage } from '../../../../server/protocol/conversation.ts';
import { everything, minute, modelCall, sessionOf } from './calls.ts';

/** Returns the cost of a session's calls in dollars, by cause. Omits causes without cost. */
function causesOf(calls: readonly ModelCall[]): Partial<Record<CostCause, number>> {
	const { byCause } = auditSessions([sessionOf(calls)], everything);
	const costly = byCause.filter(({ money }) => money.nanoUsd + money.milliInputs > 0);
	return Object.fromEntries(costly.map(({ cause, money }) => [cause, money.nanoUsd / 1e9]));
}

function call(id: string, at: number, usage: Partial<Usage>, more: Partial<ModelCall> = {}): ModelCall {
	return modelCall(id, { at: at * minute, usage: { input: 0, output: 0, ...usage }, ...more });
}

const start = call('m1', 1, { cacheWrite: 100_000 });

// Claude Opus 4.5 costs $5 per million tokens of input, $0.50 cached, $6.25 written, $25 of output.
describe('the causes of a session', () => {
	test('causes distinguish the first prompt, what was read, what was added and the answer', () => {
		const next = call('m2', 2, { input: 1000, cacheRead: 100_000, cacheWrite: 8000, output: 2000 });
		expect(causesOf([start, next])).toEqual({
			coldStart: 0.625,
			newInput: 0.005,
			cacheReads: 0.05,
			growth: 0.05,
			output: 0.05,
		});
	});

	test('causes blame a pause that was longer than the lifetime of the cache', () => {
		const next = call('m2', 20, { cacheWrite: 104_000 });
		expect(causesOf([start, next])).toEqual({ coldStart: 0.625, expiry: 0.625, growth: 0.025 });
	});

	test('causes blame a changed prompt if there was no pause', () => {
		const next = call('m2', 2, { cacheRead: 20_000, cacheWrite: 84_000 });
		expect(causesOf([start, next])).toEqual({
			coldStart: 0.625,
			changedPrefix: 0.5,
			cacheReads: 0.01,
			growth: 0.025,
		});
	});

	test('causes count a compaction with its own call and the prompt after it', () => {
		const summary = call('m2', 2, { cacheRead: 100_000, output: 2000 }, { isSummary: true });
		const next = call('m3', 3, { cacheWrite: 16_000 }, { isCompacted: true });
		expect(causesOf([start, summary, next])).toEqual({ coldStart: 0.625, compaction: 0.2 });
	});

	test('causes put everything that sub-agents cost under one cause, with a cache of their own', () => {
		const sub = call('m2', 2, { cacheWrite: 16_000, output: 4000 }, { subAgent: 'a1' });
		const next = call('m3', 3, { cacheRead: 100_000, cacheWrite: 8000 });
		expect(causesOf([start, sub, next])).toEqual({
			coldStart: 0.625,
			subAgents: 0.2,
			cacheReads: 0.05,
			growth: 0.05,
		});
	});

	test('causes count plain input as new if the provider reports no cache', () => {
		const calls = [1, 2, 3].map((at) => call(`m${at}`, at, { input: 20_000 }));
		expect(causesOf(calls)).toEqual({ newInput: 0.3 });
	});

	test('causes count lost automatic caches as plain input that was sent again', () => {
		const model = { provider: 'openai', model: 'gpt-5.1' };
		const first = call('m1', 1, { input: 100_000 }, model);
		const read = call('m2', 2, { input: 4000, cacheRead: 99_968 }, model);
		const lost = call('m3', 90, { input: 108_000 }, model);
		const causes = causesOf([first, read, lost]);
		expect(causes.coldStart).toBeCloseTo(0.125, 6);
		expect(causes.expiry).toBeCloseTo((103_936 * 1.25) / 1e6, 6);
		expect(causes.newInput).toBeCloseTo(((4000 + 4064) * 1.25) / 1e6, 6);
	});
});

test('the price of a long prompt applies to the whole call, but not to the sums of several calls', () => {
	const long = call('m1', 1, { input: 300_000, output: 1000 }, { model: 'claude-sonnet-4-5' });
	const total = (one: ModelCall): number => auditSessions([sessionOf([one])], everything).total.nanoUsd / 1e9;
	expect(total(long)).toBeCloseTo(0.3 * 6 + 0.001 * 22.5, 6);
	expect(total({ ...long, isSum: true })).toBeCloseTo(0.3 * 3 + 0.001 * 15, 6);
});

test('models without a known price are summed in tokens of input, and named', () => {
	const known = call('m1', 1, { input: 1000 });
	const unknown = call('m2', 2, { input: 1000, output: 100 }, { provider: '', model: 'mystery-1' });
	const { total, unpriced } = auditSessions([sessionOf([known, unknown])], everything);
	expect(total).toEqual({ nanoUsd: 5_000_000, milliInputs: 1_500_000 });
	expect(unpriced.map(({ name }) => name)).toEqual(['mystery-1']);
});

describe('the moments of an audit', () => {
	const moments = (calls: readonly ModelCall[]) => auditSessions([sessionOf(calls)], everything).moments;

	test('moments join what has one cause in a session on one day', () => {
		const pauses = [20, 40, 70].map((at) => call(`p${at}`, at, { cacheWrite: 100_000 }));
		expect(moments([start, ...pauses])[0]).toMatchObject({
			cause: 'expiry',
			calls: 3,
			tokens: 300_000,
			pauseMs: 30 * minute,
		});
	});

	test('moments name the model that a session used before', () => {
		const next = call('m2', 2, { cacheWrite: 101_000 }, { model: 'claude-sonnet-4-5' });
		expect(moments([start, next])).toContainEqual(
			expect.objectContaining({ cause: 'changedPrefix', modelBefore: 'claude-opus-4-5' }),
		);
	});

	test('an audit has at most ten moments, most expensive first', () => {
		const answers = Array.from({ length: 30 }, (_, index) =>
			call(`m${index}`, 1, { output: 100 * ((index * 7) % 30) }),
		);
		const found = moments(answers);
		expect(found).toHaveLength(10);
		expect(found.map(({ tokens }) => tokens)).toEqual(
			[29, 28, 27, 26, 25, 24, 23, 22, 21, 20].map((part) => part * 100),
		);
	});
});
