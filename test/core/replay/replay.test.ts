import { describe, expect, test } from 'vitest';
import { lookupCacheRules } from '../../../server/core/cost/cacheModel.ts';
import { computeCostPerRequest } from '../../../server/core/cost/compactionCost.ts';
import { type ReplayBasis, replaySession, type Strategy } from '../../../server/core/replay/replay.ts';
import type { ReplaySession } from '../../../server/core/replay/steps.ts';
import { predictCacheUse } from '../../support/predictCacheUse.ts';

const minute = 60_000;
const rules = lookupCacheRules('anthropic', 'claude-sonnet-4-5');
const prices = { read: 0.1, write: 1.25, output: 5 };
const basis: ReplayBasis = { rules, prices, agentCompaction: { remainingTokens: 6000, summaryTokens: 3000 } };
const head = 18_000;

function growing(count: number, growth: number, intervalMs = minute): ReplaySession {
	const steps = Array.from({ length: count }, (_, index) => ({
		at: index * intervalMs,
		growthTokens: index === 0 ? head : growth,
		outputTokens: 0,
		cachedShare: 1,
	}));
	return { steps, headTokens: head, fixedTokens: head, sharedTokens: 0, agentTriggerTokens: [] };
}

const never: Strategy = () => undefined;

/** Compacts to a view without a model once the prompt reaches a size. */
const at =
	(trigger: number, remainingTokens: number): Strategy =>
	({ promptTokens }) =>
		promptTokens >= trigger ? { remainingTokens, isByModel: false } : undefined;

test('costs what the model of the cache predicts if nothing is compacted', () => {
	const session = growing(50, 1000);
	const requests = session.steps.map((step, index) => ({
		at: step.at,
		promptTokens: head + index * 1000,
		unchangedTokens: index === 0 ? 0 : head + (index - 1) * 1000,
	}));
	const expected = predictCacheUse(requests, rules).reduce(
		(sum, { read, write, input }) => sum + read * prices.read + write * prices.write + input,
		0,
	);
	expect(replaySession(session, basis, never)).toEqual({
		cost: expect.closeTo(expected, 3),
		compactionCount: 0,
		rereadTokens: 0,
		extraRequestCount: 0,
	});
});

test.each([
	{ trigger: 100_000, leaves: 24_000, growth: 600 },
	{ trigger: 70_000, leaves: 12_000, growth: 400 },
	{ trigger: 160_000, leaves: 6000, growth: 1500 },
])(
	'costs what the formula says on average if it compacts from $trigger to $leaves tokens',
	({ trigger, leaves, growth }) => {
		// With these values, the agent reads nothing again.
		const withoutRereads = { ...basis, agentCompaction: { remainingTokens: 0, summaryTokens: 0 } };
		const count = 4000;
		const { cost } = replaySession(growing(count, growth), withoutRereads, at(trigger, leaves));
		const formula = computeCostPerRequest(trigger, head + leaves, {
			growthTokens: growth,
			prefixTokens: head,
			prices,
		});
		// The formula omits new input, which each request writes once.
		const average = cost / count - growth * prices.write;
		expect(Math.abs(average / formula - 1)).toBeLessThan(0.03);
	},
);

describe('a model that summarizes', () => {
	const session = growing(12, 10_000);
	const once: Strategy = ({ promptTokens }) =>
		promptTokens > 110_000 ? { remainingTokens: 6000, isByModel: true } : undefined;

	test('reads the prompt, writes the summary, and makes the agent read again', () => {
		const result = replaySession(session, basis, once);
		// 118,000 − 24,000 tokens are removed, 0.15 of which are read again, in whole reads of 5,000.
		expect(result).toMatchObject({ compactionCount: 1, rereadTokens: 10_000, extraRequestCount: 3 });
		const view: Strategy = (moment) => once(moment) && { remainingTokens: 6000, isByModel: false };
		const call = 108_000 * prices.read + 3000 * prices.output;
		const { cost } = replaySession(
			session,
			{ ...basis, agentCompaction: { ...basis.agentCompaction, remainingTokens: 0 } },
			view,
		);
		expect(result.cost - cost).toBeGreaterThan(call);
	});

	test('writes the whole prompt if the cache has expired', () => {
		const view: Strategy = (moment) => once(moment) && { remainingTokens: 6000, isByModel: false };
		const cold = growing(12, 10_000, 6 * minute);
		const withoutRereads = { ...basis, agentCompaction: { ...basis.agentCompaction, remainingTokens: 0 } };
		const call = replaySession(cold, basis, once).cost - replaySession(cold, withoutRereads, view).cost;
		expect(call).toBeGreaterThan(108_000 * (prices.write - prices.read));
	});
});

test('saves the write of what is removed if it compacts when the cache has expired', () => {
	const session = growing(80, 1000);
	const pause = 10 * minute;
	const paused = session.steps.map((step, index) =>
		index < 60 ? step : { ...step, at: index * minute + pause },
	);
	const whenCold: Strategy = ({ isCold }) =>
		isCold ? { remainingTokens: 24_000, isByModel: false } : undefined;
	const cold = { ...session, steps: paused };
	expect(replaySession(session, basis, whenCold).compactionCount).toBe(0);
	const result = replaySession(cold, basis, whenCold);
	expect(result.compactionCount).toBe(1);
	const removed = head + 60_000 - (head + 24_000);
	expect(replaySession(cold, basis, never).cost - result.cost).toBeGreaterThan(removed * prices.write);
});

test('reads as much of a changed prompt as the recorded request did', () => {
	const session = growing(50, 1000);
	const changed = session.steps.map((step) => ({ ...step, cachedShare: 0.99 }));
	const { cost } = replaySession({ ...session, steps: changed }, basis, never);
	// One percent of each prompt is written instead of read.
	const prompts = session.steps.slice(1).reduce((sum, _step, index) => sum + head + index * 1000, 0);
	const lost = 0.01 * prompts * (prices.write - prices.read);
	expect(cost - replaySession(session, basis, never).cost).toBeCloseTo(lost, -2);
});

test('reads fewer files again, the larger the view is', () => {
	const session = growing(200, 1000);
	const reread = (leaves: number) => replaySession(session, basis, at(150_000, leaves)).rereadTokens;
	expect(reread(6000)).toBeGreaterThan(reread(12_000));
	expect(reread(12_000)).toBeGreaterThan(reread(48_000));
});

test('loses the cache at requests that began differently in the recorded session', () => {
	const session = growing(10, 1000);
	const steps = session.steps.map((step, index) => (index === 5 ? { ...step, cachedShare: 0 } : step));
	const lost =
		replaySession({ ...session, steps }, basis, never).cost - replaySession(session, basis, never).cost;
	// All of the previous prompt, 22,000 tokens, is written instead of read.
	expect(lost).toBeCloseTo((22_000 - 0) * (prices.write - prices.read), 3);
});

test('passes a strategy the size, the growth, the cost so far and what compactions have not paid back yet', () => {
	const moments: unknown[] = [];
	const strategy: Strategy = (moment) => {
		moments.push(moment);
		return moment.promptTokens >= 22_000 && moments.length === 4
			? { remainingTokens: 1000, isByModel: false, costTokens: 900, savesPerCallTokens: 300 }
			: undefined;
	};
	replaySession(growing(7, 1000), basis, strategy);
	expect(moments).toMatchObject([
		{
			promptTokens: 19_000,
			historyTokens: 1000,
			growthTokens: undefined,
			isCold: false,
			spentTokens: 22_500,
			owedTokens: 0,
		},
		{ promptTokens: 20_000, growthTokens: 1000 },
		{ promptTokens: 21_000 },
		{ promptTokens: 22_000, owedTokens: 0 },
		{ promptTokens: 20_000, historyTokens: 2000, owedTokens: 600 },
		{ promptTokens: 21_000, owedTokens: 300 },
	]);
});
