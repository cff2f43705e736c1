import { expect, test } from 'vitest';
import type { BilledRequest } from '../../../server/core/cost/writeCauses.ts';
import { compareStrategies, strategyNames } from '../../../server/core/replay/compare.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { compareSessions, costTargets, totalRatio } from '../../bench/money/comparison.ts';
import { generateSessions } from '../../bench/money/generatedSessions.ts';

const minute = 60_000;

/** Returns a Claude Code session with five-minute writes and without compactions. */
function session(prompts: readonly number[], pauseBefore = -1) {
	let at = 0;
	const requests: BilledRequest[] = prompts.map((prompt, index) => {
		at += index === pauseBefore ? 10 * minute : 10_000;
		const previous = prompts[index - 1] ?? 0;
		const isLost = index === pauseBefore || prompt < previous;
		const cacheRead = isLost ? 18_000 : previous;
		return { at, usage: { input: 0, output: 100, cacheRead, cacheWrite: prompt - cacheRead } };
	});
	return {
		agent: 'claude-code',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		requests,
		settings: defaultSettings,
	};
}

const growingTo = (count: number, growth: number): number[] =>
	Array.from({ length: count }, (_, index) => 20_000 + index * growth);

test('costs the same under every strategy if nothing is worth compacting', () => {
	const { results, hasLongPause, isCompacted, agentCompaction, lifetimeMs } = compareStrategies(
		session(growingTo(20, 1000)),
	);
	const costs = strategyNames.map((name) => results[name].cost);
	expect(new Set(costs).size).toBe(1);
	expect({ hasLongPause, isCompacted, agentCompaction, lifetimeMs }).toEqual({
		hasLongPause: false,
		isCompacted: false,
		agentCompaction: { triggerTokens: 167_000, remainingTokens: 6000 },
		lifetimeMs: 5 * minute,
	});
});

test('compacts when the cache has expired, which is cheaper than doing nothing', () => {
	const compared = compareStrategies(session(growingTo(80, 1000), 60));
	expect(compared.hasLongPause).toBe(true);
	expect(compared.results.balanced.compactionCount).toBe(1);
	expect(compared.results.balanced.cost).toBeLessThan(0.9 * compared.results.nothing.cost);
	expect(compared.results.own.compactionCount).toBe(0);
});

test('replays the agent’s compaction where it happened, and none if nothing is done before the window ends', () => {
	const prompts = [...growingTo(130, 1000), 30_000, 31_000];
	const { results, agentCompaction, isCompacted } = compareStrategies(session(prompts));
	expect(isCompacted).toBe(true);
	expect(agentCompaction.triggerTokens).toBe(149_000);
	expect(results.own.compactionCount).toBe(1);
	expect(results.nothing.compactionCount).toBe(0);
	expect(results.cheap.cost).toBeLessThan(results.own.cost);
});

test('lets the agent compact at the size that its settings say', () => {
	const compared = { ...session(growingTo(100, 1000)), compactsAt: 80_000 };
	const { results, agentCompaction } = compareStrategies(compared);
	expect(agentCompaction.triggerTokens).toBe(80_000);
	expect([results.own.compactionCount, results.nothing.compactionCount]).toEqual([1, 0]);
});

test('a replay of a session without requests has no costs', () => {
	const { results } = compareStrategies(session([]));
	expect(strategyNames.map((name) => results[name].cost)).toEqual([0, 0, 0, 0, 0]);
});

test('keeps all preferences within their limits on generated sessions', () => {
	const recordings = compareSessions(generateSessions(12));
	const targets = costTargets(recordings);
	expect(targets.filter(({ measured, limit }) => !(measured <= limit))).toEqual([]);
	expect(targets.map(({ what }) => what)).toContain('balanced / own, sessions in which the agent compacted');
	// `full`, which keeps as much as possible, may cost more, but each of its compactions has to pay back.
	expect(totalRatio(recordings, 'full', 'nothing')).toBeLessThan(1.1);
});
