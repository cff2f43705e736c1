import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findUsageDrops, listTurnPoints } from '../../client-vscode/src/view/turns.ts';
import type { StatsSource, TimelinePoint } from '../../server/protocol/stats.ts';

function points(...tokens: number[]): TimelinePoint[] {
	return tokens.map((one, index) => ({
		messageId: `m${index}`,
		at: 10 * index,
		tokens: one,
		usageRatio: one / 100_000,
		source: 'reported',
	}));
}

describe('cost of a turn', () => {
	it('a turn has its growth, and what the provider read from the cache', () => {
		const usage = { input: 200, cacheWrite: 2900, cacheRead: 86_000, output: 1500 };
		const full = [{ id: 'm1', role: 'assistant' as const, content: '', usage }];
		const turns = listTurnPoints(points(86_000, 89_100), full);
		expect(turns.map(({ turn, cost }) => [turn, cost])).toEqual([
			[1, ''],
			[2, '+3.1k · 86k from the cache · 3.1k not cached · answer 1.5k'],
		]);
	});

	it('a turn whose provider reports no cache has its growth and its answer', () => {
		const full = [{ id: 'm1', role: 'assistant' as const, content: '', usage: { input: 900, output: 50 } }];
		expect(listTurnPoints(points(500, 950), full)[1]?.cost).toBe('+450 · answer 50');
	});

	it('a turn after which less is in the window shows no growth', () => {
		expect(listTurnPoints(points(900, 500), [])[1]?.cost).toBe('');
	});
});

describe('drops of the reported usage', () => {
	it('a fall of the reported usage without a compaction is a drop', () => {
		expect(findUsageDrops(points(50_000, 89_500, 60_400), [], 167_000)).toEqual([
			{ at: 20, tokens: 29_100, messageId: 'm2', turn: 3 },
		]);
	});

	it('a fall with a compaction between the turns is no drop', () => {
		expect(findUsageDrops(points(89_500, 60_400), [{ at: 5 }], 167_000)).toEqual([]);
	});

	it('a fall below two percent of the limit is no drop', () => {
		expect(findUsageDrops(points(89_500, 87_000), [], 167_000)).toEqual([]);
	});

	it.each<StatsSource>(['anchored', 'estimated'])('a fall of an %s figure is no drop', (source) => {
		const [first, second] = points(89_500, 60_400);
		expect(
			findUsageDrops([{ ...first, source } as TimelinePoint, second as TimelinePoint], [], 167_000),
		).toEqual([]);
		expect(
			findUsageDrops([first as TimelinePoint, { ...second, source } as TimelinePoint], [], 167_000),
		).toEqual([]);
	});

	it('drops name only turns after which less is in the window', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(200_000)), (tokens) => {
				for (const { turn, tokens: less } of findUsageDrops(points(...tokens), [], 100_000)) {
					expect((tokens[turn - 2] ?? 0) - (tokens[turn - 1] ?? 0)).toBe(less);
					expect(less).toBeGreaterThanOrEqual(2000);
				}
			}),
		);
	});
});
