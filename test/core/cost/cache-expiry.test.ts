import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type CachedSession,
	computeCacheExpiry,
	formatExpiry,
	isExpiryNear,
} from '../../../server/core/cost/cacheExpiry.ts';
import { lookupPrices } from '../../../server/core/cost/prices.ts';
import { formatCost, formatDollars } from '../../../server/core/figures.ts';

const minuteMs = 60_000;
const usage = { input: 1000, output: 500, cacheRead: 90_000, cacheWrite: 9000 };

function session(change: Partial<CachedSession> = {}): CachedSession {
	return {
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		requests: [{ startedAt: 0, usage }],
		nextTokens: 104_000,
		prices: { read: 0.1, write: 1.25 },
		inputPrices: lookupPrices('anthropic', 'claude-sonnet-4-5'),
		...change,
	};
}

describe('the cache of a prompt', () => {
	it('the cache of a prompt costs the difference of writing and reading the newest prompt, in dollars', () => {
		expect(computeCacheExpiry(minuteMs, session())).toEqual({
			warmUntil: 5 * minuteMs,
			lifetimeMs: 5 * minuteMs,
			coldTokens: 100_000,
			coldCostTokens: 115_000,
			coldCost: expect.closeTo(0.345),
		});
	});

	it('the cache of a prompt is at most as large as the next request, for example after a compaction', () => {
		expect(computeCacheExpiry(0, session({ nextTokens: 20_000 }))).toMatchObject({ coldTokens: 20_000 });
	});

	it('the cache of a prompt has no cost in dollars if the price is unknown, and is absent without a cache', () => {
		const unknown = computeCacheExpiry(0, session({ inputPrices: { longPrompts: [] } }));
		expect(unknown?.coldCostTokens).toBe(115_000);
		expect(unknown).not.toHaveProperty('coldCost');
		expect(computeCacheExpiry(0, session({ requests: [] }))).toBeUndefined();
		expect(computeCacheExpiry(0, session({ prices: undefined }))).toBeUndefined();
	});

	it('the cache of a long prompt costs the multiple of its price list', () => {
		const inputPrices = { usdPerMillion: 3, longPrompts: [{ aboveTokens: 50_000, input: 2, output: 1.5 }] };
		expect(computeCacheExpiry(0, session({ inputPrices }))?.coldCost).toBeCloseTo(0.69);
	});

	it('the cache of a prompt never has a negative or an infinite cost', () => {
		const tokens = fc.nat({ max: 1e9 });
		fc.assert(
			fc.property(tokens, tokens, tokens, fc.integer(), (input, cacheRead, nextTokens, now) => {
				const requests = [{ startedAt: 0, usage: { input, output: 1, cacheRead } }];
				const found = computeCacheExpiry(now, session({ requests, nextTokens }));
				expect(found?.coldCost).toBeGreaterThanOrEqual(0);
				expect(found?.coldCost).toBeLessThan(1e9);
			}),
		);
	});
});

describe('the text about the expiry of a cache', () => {
	const cache = {
		warmUntil: 60 * minuteMs,
		lifetimeMs: 60 * minuteMs,
		coldTokens: 100_000,
		coldCostTokens: 115_000,
	};

	it('the text names the minutes that are left and the price, in dollars or in tokens of input', () => {
		expect(formatExpiry({ ...cache, coldCost: 0.41 }, 56 * minuteMs)).toBe('cache expires in 4 min: $0.41');
		expect(formatExpiry(cache, 60 * minuteMs - 1)).toBe('cache expires in 1 min: 115k of input');
		expect(formatExpiry(cache, 60 * minuteMs)).toBe('cache expired: 115k of input');
	});

	it('the text is shown in the last five minutes of an hour, and until a day after the expiry', () => {
		const isShownAt = (minute: number) => isExpiryNear(cache, minute * minuteMs);
		expect([0, 54, 55, 60, 61, 25 * 60, 26 * 60].map(isShownAt)).toEqual([
			false,
			false,
			true,
			true,
			true,
			true,
			false,
		]);
	});

	it('the text rounds dollars to cents, and large sums to dollars', () => {
		expect([0, 0.001, 0.006, 0.41, 12.5, 120.4].map(formatDollars)).toEqual([
			'$0.00',
			'<$0.01',
			'$0.01',
			'$0.41',
			'$12.50',
			'$120',
		]);
		expect(formatCost(2_500_000, undefined)).toBe('2.5M of input');
	});
});
