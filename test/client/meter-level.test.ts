import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	chooseMeterLevel,
	getCompactionTokens,
	type MeterLevel,
} from '../../client-vscode/src/usage/meter.ts';
import { stats } from './stats.ts';

/** Returns stats of a session whose agent compacts at 100,000 tokens. */
function followed(tokens: number, perTurn?: number) {
	return stats({
		availableInputTokens: 100_000,
		limit: { tokens: 100_000, of: 'agent', compacts: 'agent' },
		estimatedInputTokens: tokens,
		...(perTurn !== undefined && { growth: { sinceUserMessage: 0, perTurn } }),
	});
}

describe('level of the meter', () => {
	it.each<[number, number | undefined, MeterLevel]>([
		[79_999, undefined, 'enough'],
		[80_000, undefined, 'little'],
		[94_999, undefined, 'little'],
		[95_000, undefined, 'lastTurn'],
		[100_000, undefined, 'lastTurn'],
		[100_001, undefined, 'none'],
		[92_000, 7_000, 'little'],
		[93_000, 7_000, 'lastTurn'],
		[89_999, 60_000, 'little'],
		[90_000, 60_000, 'lastTurn'],
		[97_999, 10, 'little'],
		[98_000, 10, 'lastTurn'],
	])('the level of the meter at %i of 100,000 tokens with turns of %s is %s', (tokens, perTurn, level) => {
		expect(chooseMeterLevel(followed(tokens, perTurn))).toBe(level);
	});

	it('the meter counts to the threshold if contextd compacts, and to the limit if nobody does', () => {
		expect(getCompactionTokens(stats())).toBe(0.8 * 136_000);
		const limit = { tokens: 136_000, of: 'window', compacts: 'nobody' } as const;
		expect(getCompactionTokens(stats({ limit }))).toBe(136_000);
		expect(chooseMeterLevel(stats({ estimatedInputTokens: 88_000 }))).toBe('little');
		expect(chooseMeterLevel(stats({ estimatedInputTokens: 88_000, limit }))).toBe('enough');
	});

	it('the meter is red for at most the last tenth of the way, and never calmer when the window is fuller', () => {
		const order: MeterLevel[] = ['enough', 'little', 'lastTurn', 'none'];
		const tokens = fc.integer({ min: 0, max: 120_000 });
		fc.assert(
			fc.property(tokens, tokens, fc.option(fc.integer({ min: 0, max: 1e9 })), (a, b, turn) => {
				const [less, more] = [Math.min(a, b), Math.max(a, b)].map((one) =>
					order.indexOf(chooseMeterLevel(followed(one, turn ?? undefined))),
				);
				expect(less).toBeLessThanOrEqual(more ?? 0);
				if (Math.min(a, b) < 90_000) expect(less).toBeLessThan(order.indexOf('lastTurn'));
			}),
		);
	});
});
