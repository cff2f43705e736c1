import { describe, expect, it } from 'vitest';
import {
	computeAverageGrowthTokens,
	findSessionPrices,
	type PricedRow,
} from '../../../server/core/cost/sessionPrices.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';

/** Returns an assistant message of 100 counted tokens with reported usage. */
function row(usage?: Partial<Usage>): PricedRow {
	const counts = { text: 100, calls: 0, images: 0 };
	const base = { seq: 0, role: 'assistant', counts } as const;
	return usage === undefined ? base : { ...base, usage: { input: 0, output: 10, ...usage } };
}

const times = (count: number, usage: Partial<Usage>): PricedRow[] =>
	Array.from({ length: count }, () => row(usage));

describe('the prices of a session', () => {
	it('the prices of a session charge 1.25 for cache writes of Claude if nothing is reported', () => {
		expect(findSessionPrices([], 'anthropic', 'claude-sonnet-4-5')).toEqual({
			read: 0.1,
			write: 1.25,
			output: 5,
		});
	});

	it('the prices of a session charge 2 for writes for an hour, and a mean for both kinds', () => {
		const hour = row({ cacheWrite: 4000, cacheWriteForHour: 4000 });
		expect(findSessionPrices([hour], 'anthropic', 'claude-sonnet-4-5')?.write).toBe(2);
		const both = [hour, row({ cacheWrite: 4000 })];
		expect(findSessionPrices(both, 'anthropic', 'claude-sonnet-4-5')?.write).toBeCloseTo(1.625);
	});

	it('the prices of a session charge the input price for writes if only reads are reported', () => {
		expect(findSessionPrices([row({ cacheRead: 9000 })], 'mock', 'mock-1')?.write).toBe(1);
	});

	it('the prices of a session are undefined after several reported prompts without a cache', () => {
		expect(findSessionPrices(times(2, { input: 9000 }), 'anthropic', 'claude-sonnet-4-5')).toBeDefined();
		expect(findSessionPrices(times(3, { input: 9000 }), 'anthropic', 'claude-sonnet-4-5')).toBeUndefined();
		expect(findSessionPrices(times(3, { input: 900 }), 'anthropic', 'claude-sonnet-4-5')).toBeDefined();
	});

	it('the prices of a session are undefined for a provider that is not known to cache', () => {
		expect(findSessionPrices([], 'ollama', 'qwen3')).toBeUndefined();
	});
});

describe('the growth per request', () => {
	it('the growth per request is taken from reported prompts, without compactions and repeated figures', () => {
		const prompts = [10_000, 12_000, 12_000, 16_000, 5000, 8000];
		const rows = prompts.map((cacheRead) => row({ cacheRead }));
		expect(computeAverageGrowthTokens(rows, 1)).toBe(3000);
	});

	it('the growth per request is counted if no prompt was reported', () => {
		expect(computeAverageGrowthTokens([row(), row()], 1.5)).toBe(150);
		expect(computeAverageGrowthTokens([], 1)).toBeUndefined();
	});
});
