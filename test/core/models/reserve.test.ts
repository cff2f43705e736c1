import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRatioReserve, computeTableReserve } from '../../../server/core/models/budget.ts';

describe('the ratio rule', () => {
	it.each([
		[128_000, undefined, 44_800],
		[200_000, undefined, 64_000],
		[1_000_000, undefined, 64_000],
		[4096, undefined, 1434],
		[128_000, 4096, 4096],
		[200_000, 100_000, 100_000],
	])(
		'the ratio rule reserves in a window of %i with an output limit of %s: %i',
		(contextWindow, maxOutputTokens, reserve) => {
			expect(computeRatioReserve({ contextWindow, maxOutputTokens })).toBe(reserve);
		},
	);

	it('the ratio rule ignores an output limit close to the window', () => {
		expect(computeRatioReserve({ contextWindow: 8192, maxOutputTokens: 8192 })).toBe(2868);
		expect(computeRatioReserve({ contextWindow: 8192, maxOutputTokens: 10_000 })).toBe(2868);
	});

	it('the ratio rule reserves the part of the window that a model does not accept as input', () => {
		expect(computeRatioReserve({ contextWindow: 400_000, maxInputTokens: 272_000 })).toBe(128_000);
		expect(
			computeRatioReserve({ contextWindow: 400_000, maxInputTokens: 272_000, maxOutputTokens: 130_000 }),
		).toBe(130_000);
	});
});

describe('the table rule', () => {
	it.each([
		[64_000, 27_000],
		[64_001, 30_000],
		[128_000, 30_000],
		[128_001, 40_000],
		[200_000, 40_000],
		[201_000, 40_200],
		[1_000_000, 200_000],
	])('the table rule in a window of %i reserves %i for the answer', (contextWindow, output) => {
		expect(computeTableReserve({ contextWindow, systemReserve: 0 })).toBe(output);
	});

	it('the table rule also reserves tokens for a system prompt', () => {
		expect(computeTableReserve({ contextWindow: 128_000, systemReserve: 4000 })).toBe(34_000);
		expect(computeTableReserve({ contextWindow: 200_000, systemReserve: 2000 })).toBe(42_000);
	});

	it.each([4096, 8192, 16_384, 32_000])(
		'the table rule keeps a small window of %i usable',
		(contextWindow) => {
			const reserve = computeTableReserve({ contextWindow, systemReserve: 4000 });
			expect(reserve).toBeGreaterThan(0);
			expect(reserve).toBeLessThanOrEqual(contextWindow / 2);
		},
	);
});

it('both rules reserve whole, finite tokens for any input', () => {
	const tokens = fc.oneof(fc.double(), fc.integer({ min: -10, max: 2_000_000 }));
	const maybe = fc.option(tokens, { nil: undefined });
	fc.assert(
		fc.property(tokens, maybe, maybe, (contextWindow, maxOutputTokens, maxInputTokens) => {
			const input = { contextWindow, maxOutputTokens, maxInputTokens };
			for (const reserve of [
				computeRatioReserve(input),
				computeTableReserve({ ...input, systemReserve: 0 }),
			]) {
				expect(Number.isInteger(reserve) && reserve >= 0).toBe(true);
				if (contextWindow >= 2 && Number.isFinite(contextWindow)) expect(reserve).toBeLessThan(contextWindow);
			}
		}),
	);
});
