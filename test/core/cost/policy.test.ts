import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCompaction, type PolicyFigures } from '../../../server/core/cost/policy.ts';

/** A Claude Code session in a window of 200,000 tokens that has reached the trigger. */
const atTrigger: PolicyFigures = {
	preference: 'balanced',
	promptTokens: 134_000,
	historyTokens: 116_000,
	triggerTokens: 133_600,
	triggerReason: 'threshold',
	latestTokens: 158_650,
	targetTokens: 26_000,
	minColdTokens: 24_000,
	minColdSaving: 40_000,
	prices: { read: 0.1, write: 1.25, output: 5 },
	isCold: false,
	compactsWhenCold: true,
	hasOpenCalls: false,
	expectedRequests: 10,
	spentTokens: 900_000,
	owedTokens: 0,
};

const decide = (change: Partial<PolicyFigures>) => decideCompaction({ ...atTrigger, ...change });

const tokens = fc.integer({ min: 0, max: 1_000_000 });
const figures: fc.Arbitrary<PolicyFigures> = fc
	.record(
		{
			preference: fc.constantFrom('full' as const, 'balanced' as const, 'cheap' as const),
			promptTokens: tokens,
			historyTokens: tokens,
			triggerTokens: tokens,
			triggerReason: fc.constantFrom(
				'threshold' as const,
				'cost' as const,
				'budget' as const,
				'setting' as const,
			),
			latestTokens: tokens,
			targetTokens: tokens,
			minColdTokens: tokens,
			minColdSaving: tokens,
			prices: fc.record({
				read: fc.double({ min: 0.01, max: 1, noNaN: true }),
				write: fc.double({ min: 1, max: 2, noNaN: true }),
				output: fc.constant(5),
			}),
			isCold: fc.boolean(),
			compactsWhenCold: fc.boolean(),
			hasOpenCalls: fc.boolean(),
			expectedRequests: fc.integer({ min: 0, max: 1000 }),
			spentTokens: fc.integer({ min: 0, max: 100_000_000 }),
			owedTokens: tokens,
		},
		{ noNullPrototype: true },
	)
	.map((one) => ({ ...one, latestTokens: Math.max(one.latestTokens, one.triggerTokens) }));

describe('the decision about a compaction', () => {
	it('the decision is due at the trigger, with what it costs and when that is paid back', () => {
		expect(decide({})).toEqual({
			isDue: true,
			reason: 'threshold',
			preference: 'balanced',
			targetTokens: 26_000,
			costTokens: 29_900,
			savesOnceTokens: 0,
			savesPerCallTokens: 9000,
			paysBackAfterCalls: 4,
			expectedCalls: 10,
		});
		expect(decide({ promptTokens: 133_599 })).toMatchObject({ isDue: false, reason: 'notReached' });
	});

	it('the decision waits if the session is expected to end before a compaction pays back', () => {
		expect(decide({ expectedRequests: 3 })).toMatchObject({ isDue: false, reason: 'paysBackLate' });
	});

	it('the decision waits if a compaction would cost a short session more than 4%', () => {
		expect(decide({ spentTokens: 500_000 })).toMatchObject({ isDue: false, reason: 'shortSession' });
		expect(decide({ spentTokens: 500_000, preference: 'cheap' })).toMatchObject({ isDue: true });
		expect(decide({ owedTokens: 30_000 })).toMatchObject({ isDue: false, reason: 'shortSession' });
	});

	it('the decision waits no longer once the window is nearly full', () => {
		const short = { spentTokens: 100_000, expectedRequests: 0, promptTokens: 158_650 };
		expect(decide(short)).toMatchObject({ isDue: true, reason: 'threshold' });
	});

	it('the decision is due after a pause, because the prompt is written again anyway', () => {
		const cold = decide({ isCold: true, promptTokens: 90_000, historyTokens: 72_000 });
		expect(cold).toMatchObject({ isDue: true, reason: 'cold', costTokens: 0, paysBackAfterCalls: 0 });
		expect(cold.savesOnceTokens).toBe(Math.round(1.25 * (72_000 - 26_000)));
	});

	it('the decision after a pause leaves a history alone of which little would be removed', () => {
		const small = { isCold: true, promptTokens: 64_000, historyTokens: 46_000 };
		expect(decide(small)).toMatchObject({ isDue: false, reason: 'notReached' });
		expect(decide({ ...small, minColdSaving: 20_000 })).toMatchObject({ isDue: true, reason: 'cold' });
	});

	it('the decision after a pause removes at least half of the history in a large window', () => {
		const large = { isCold: true, promptTokens: 300_000, historyTokens: 280_000, targetTokens: 143_000 };
		const decision = decide({ ...large, triggerTokens: 773_600, latestTokens: 918_650 });
		expect(decision).toMatchObject({ reason: 'cold', targetTokens: 140_000 });
	});

	it('the decision ignores a pause if the user chose the threshold, or the provider caches nothing', () => {
		const cold = { isCold: true, promptTokens: 90_000, historyTokens: 72_000 };
		expect(decide({ ...cold, compactsWhenCold: false })).toMatchObject({ isDue: false });
		const { prices: _, ...uncached } = { ...atTrigger, ...cold };
		expect(decideCompaction(uncached)).toMatchObject({ isDue: false });
	});

	it('the decision waits for the result of a call, unless the window is nearly full', () => {
		expect(decide({ hasOpenCalls: true })).toMatchObject({ isDue: false, reason: 'openCalls' });
		expect(decide({ hasOpenCalls: true, promptTokens: 160_000 })).toMatchObject({ isDue: true });
	});

	it("the decision follows the user's own threshold, whatever it costs", () => {
		const own = {
			triggerReason: 'setting',
			latestTokens: 133_600,
			spentTokens: 0,
			hasOpenCalls: true,
		} as const;
		expect(decide(own)).toMatchObject({ isDue: true, reason: 'setting' });
	});
});

describe('every decision about a compaction', () => {
	it('every decision about a compaction follows again from its journalled figures', () => {
		fc.assert(
			fc.property(figures, (one) => {
				const decision = decideCompaction(one);
				const replayed = decideCompaction(JSON.parse(JSON.stringify(one)));
				expect(JSON.stringify(replayed)).toBe(JSON.stringify(decision));
			}),
		);
	});

	it('every decision that is due while the cache is warm loses at most its share of the cost so far', () => {
		fc.assert(
			fc.property(figures, (one) => {
				const { isDue, reason, costTokens, savesPerCallTokens } = decideCompaction(one);
				const isForced = one.promptTokens >= one.latestTokens || reason === 'setting';
				if (!isDue || isForced || reason === 'cold') return;
				const share = one.preference === 'cheap' ? 0.1 : 0.05;
				expect(costTokens - savesPerCallTokens).toBeLessThanOrEqual(share * (one.spentTokens ?? 0));
			}),
		);
	});

	it('every decision that is due stays due if more was spent and more requests are expected', () => {
		fc.assert(
			fc.property(figures, fc.nat(1_000_000), fc.nat(100), (one, spent, requests) => {
				if (!decideCompaction(one).isDue) return;
				const later = {
					...one,
					spentTokens: (one.spentTokens ?? 0) + spent,
					expectedRequests: one.expectedRequests + requests,
				};
				expect(decideCompaction(later).isDue).toBe(true);
			}),
		);
	});

	it('every decision for an expired cache costs nothing and never depends on how long the session lasts', () => {
		fc.assert(
			fc.property(figures, (one) => {
				const decision = decideCompaction({ ...one, isCold: true });
				if (decision.reason !== 'cold') return;
				expect(decision.costTokens).toBe(0);
				expect(decideCompaction({ ...one, isCold: true, expectedRequests: 0, spentTokens: 0 })).toEqual({
					...decision,
					expectedCalls: 0,
				});
			}),
		);
	});
});
