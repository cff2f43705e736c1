import { expect, test } from 'vitest';
import { lookupCacheRules } from '../../../server/core/cost/cacheModel.ts';
import type { BilledRequest } from '../../../server/core/cost/writeCauses.ts';
import { createReplaySession } from '../../../server/core/replay/steps.ts';

const rules = lookupCacheRules('anthropic', 'claude-sonnet-4-5');

function billed(cacheRead: number, cacheWrite: number, more: Partial<BilledRequest> = {}): BilledRequest {
	return { usage: { input: 0, output: 50, cacheRead, cacheWrite }, ...more };
}

test('turns prompts into growth', () => {
	const { steps, agentTriggerTokens: ownTriggers } = createReplaySession(
		[billed(0, 20_000), billed(20_000, 700), billed(20_700, 300)],
		rules,
		6000,
	);
	expect(steps.map(({ growthTokens, cachedShare }) => [growthTokens, cachedShare])).toEqual([
		[20_000, 1],
		[700, 1],
		[300, 1],
	]);
	expect(ownTriggers).toEqual([]);
});

test('undoes the agent’s own compaction, and takes out what was read again after it', () => {
	const requests = [
		billed(0, 160_000),
		billed(18_000, 12_000, { isCompacted: true }),
		billed(30_000, 10_000),
		billed(40_000, 40_000),
		billed(80_000, 1000),
	];
	const session = createReplaySession(requests, rules, 6000);
	expect(session.agentTriggerTokens).toEqual([160_000]);
	// 0.15 of the 130,000 tokens that were removed, but at most half of each growth.
	expect(session.steps.map(({ growthTokens }) => growthTokens)).toEqual([
		160_000,
		0,
		5000,
		40_000 - 14_500,
		1000,
	]);
});

test('finds what a compaction keeps cached, and what it cannot remove', () => {
	const requests = [
		billed(0, 45_000),
		billed(45_000, 110_000),
		billed(25_000, 24_000, { isCompacted: true }),
	];
	expect(createReplaySession(requests, rules, 6000)).toMatchObject({
		headTokens: 25_000,
		fixedTokens: 43_000,
	});
	expect(createReplaySession(requests.slice(0, 2), rules, 6000)).toMatchObject({
		headTokens: 22_500,
		fixedTokens: 38_250,
	});
});

test('keeps losses of the cache that no policy causes', () => {
	const { steps } = createReplaySession([billed(0, 40_000), billed(10_000, 31_000)], rules, 6000);
	expect(steps[1]).toMatchObject({ growthTokens: 1000, cachedShare: 0.25 });
});

test('leaves out requests without a prompt', () => {
	const aborted = { usage: { input: 0, output: 0 } };
	expect(createReplaySession([aborted, billed(0, 20_000), aborted], rules, 6000).steps).toHaveLength(1);
	expect(createReplaySession([], rules, 6000)).toMatchObject({ steps: [], headTokens: 0, fixedTokens: 0 });
});
