import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lookupCacheRules } from '../../../server/core/cost/cacheModel.ts';
import {
	computeCostPerRequest,
	computeModelCompactedCost,
	computeRewriteCost,
	findLargestSize,
} from '../../../server/core/cost/compactionCost.ts';
import { decideCompaction, expectedRequests } from '../../../server/core/cost/policy.ts';
import { lookupPrices } from '../../../server/core/cost/prices.ts';
import { predictCacheUse } from '../../support/predictCacheUse.ts';

const page = readFileSync('docs/cost.md', 'utf8');
const example = page.slice(page.indexOf('## A worked example'), page.indexOf('## How contextd decides'));
const prices = lookupPrices('anthropic', 'claude-sonnet-4-5');
const rules = lookupCacheRules('anthropic', 'claude-sonnet-4-5');
const [prefix, history, view, growth] = [20_000, 114_000, 24_000, 1500];
const prompt = prefix + history;

const dollars = (tokens: number): string => `$${((tokens * (prices.usdPerMillion ?? 0)) / 1e6).toFixed(4)}`;
const count = (tokens: number): string => Math.round(tokens).toLocaleString('en-US');

/** Returns the tokens that a request reads and writes some minutes after the first request. */
function secondRequest(minutes: number): { read: number; write: number } {
	const [, use] = predictCacheUse(
		[
			{ at: 0, promptTokens: prompt - growth, unchangedTokens: 0 },
			{ at: minutes * 60_000, promptTokens: prompt, unchangedTokens: prompt - growth },
		],
		rules,
	);
	return { read: use?.read ?? 0, write: use?.write ?? 0 };
}

describe('the worked example of docs/cost.md', () => {
	test('docs/cost.md names the prices of the model', () => {
		expect(example).toContain(`costs $${prices.usdPerMillion} for a million input tokens`);
		for (const multiple of [prices.read, prices.write]) {
			expect(example).toContain(`$${((prices.usdPerMillion ?? 0) * multiple).toFixed(2)} `);
		}
		expect(example).toContain(`$${(prices.usdPerMillion ?? 0) * prices.output} for output`);
	});

	test('docs/cost.md has the cost of a request while the cache is warm, and after it expired', () => {
		const warm = secondRequest(1);
		expect(example).toContain(`reads ${count(warm.read)} tokens (${dollars(warm.read * prices.read)})`);
		expect(example).toContain(`writes ${count(warm.write)} (${dollars(warm.write * prices.write)})`);
		expect(example).toContain(`**${dollars(warm.read * prices.read + warm.write * prices.write)}**`);
		const cold = secondRequest(10);
		expect(cold).toEqual({ read: 0, write: prompt });
		expect(example).toContain(
			`writes all ${count(prompt)} tokens: **${dollars(cold.write * prices.write)}**`,
		);
	});

	test('docs/cost.md has the cost of a compaction, and what it saves', () => {
		const saved = history - view;
		const { costTokens, paysBackAfterCalls } = computeRewriteCost(view, saved, prices);
		expect(example).toContain(
			`(${dollars(view * prices.write)}) instead of reading them (${dollars(view * prices.read)})`,
		);
		expect(example).toContain(`**${dollars(costTokens)}** more, once`);
		expect(example).toContain(
			`reads ${count(saved)} tokens fewer and saves **${dollars(saved * prices.read)}**`,
		);
		expect(example).toContain(`after **${paysBackAfterCalls}** requests`);
		expect(example).toContain(`**${dollars(saved * prices.write)}**`);
	});

	test('docs/cost.md has the cost in the long run, for contextd and for the agent', () => {
		const basis = { growthTokens: growth, prefixTokens: prefix, prices };
		const own = computeModelCompactedCost(
			{ triggerTokens: 167_000, remainingTokens: 6000, writtenTokens: 3000 },
			basis,
		);
		const ours = computeCostPerRequest(prompt, prefix + view, basis);
		expect(example).toContain(`**${count(ours)}** input tokens per request, ${dollars(ours)}`);
		expect(example).toContain(`**${count(own)}** input tokens, ${dollars(own)}`);
		// A history of 24,000 tokens is about as large as the target of `balanced`.
		expect(findLargestSize(0.95 * own, prompt, basis)).toBeGreaterThan(prefix + view);
	});

	test('the policy decides as docs/cost.md says', () => {
		const figures = {
			preference: 'balanced' as const,
			promptTokens: prompt,
			historyTokens: history,
			triggerTokens: prompt,
			triggerReason: 'threshold' as const,
			latestTokens: 167_000,
			targetTokens: view,
			minColdTokens: 18_000,
			minColdSaving: 40_000,
			prices,
			isCold: false,
			compactsWhenCold: true,
			hasOpenCalls: false,
			expectedRequests,
			owedTokens: 0,
		};
		expect(page).toContain('within ten requests');
		expect(expectedRequests).toBe(10);
		expect(decideCompaction(figures)).toMatchObject({
			isDue: true,
			reason: 'threshold',
			paysBackAfterCalls: 4,
		});
		const early = { ...figures, promptTokens: 80_000, historyTokens: 60_000 };
		expect(decideCompaction(early)).toMatchObject({ isDue: false, reason: 'notReached' });
		expect(decideCompaction({ ...early, isCold: true })).toMatchObject({
			isDue: true,
			reason: 'cold',
			targetTokens: view,
			savesOnceTokens: 45_000,
		});
		expect(decideCompaction({ ...figures, hasOpenCalls: true })).toMatchObject({ reason: 'openCalls' });
	});
});
