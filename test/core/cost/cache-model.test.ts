import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookupCacheRules, type PromptRequest } from '../../../server/core/cost/cacheModel.ts';
import { predictCacheUse } from '../../support/predictCacheUse.ts';

const minute = 60_000;
const anthropic = lookupCacheRules('anthropic', 'claude-sonnet-4-5');
const openAi = lookupCacheRules('openai', 'gpt-5.1');

/** Returns a session that only grows: one request per minute, each with 1,000 tokens more. */
function growing(count: number, options: Partial<PromptRequest> = {}): PromptRequest[] {
	return Array.from({ length: count }, (_, index) => ({
		at: index * minute,
		promptTokens: 20_000 + index * 1000,
		unchangedTokens: index === 0 ? 0 : 19_000 + index * 1000,
		...options,
	}));
}

describe('a cache with breakpoints', () => {
	test('reads the whole previous prompt and writes what was added', () => {
		expect(predictCacheUse(growing(3), anthropic)).toEqual([
			{ read: 0, write: 20_000, input: 0 },
			{ read: 20_000, write: 1000, input: 0 },
			{ read: 21_000, write: 1000, input: 0 },
		]);
	});

	test('writes the whole prompt after a pause longer than its lifetime', () => {
		const [first, second] = growing(2);
		const late = { ...(second as PromptRequest), at: 5 * minute + 1 };
		expect(predictCacheUse([first as PromptRequest, late], anthropic)[1]).toMatchObject({
			read: 0,
			write: 21_000,
		});
		const hour = { ...anthropic, lifetimeMs: 60 * minute };
		expect(predictCacheUse([first as PromptRequest, late], hour)[1]).toMatchObject({
			read: 20_000,
			write: 1000,
		});
	});

	test('counts the lifetime from the newest read', () => {
		const every4Minutes = growing(4).map((request, index) => ({ ...request, at: index * 4 * minute }));
		expect(predictCacheUse(every4Minutes, anthropic).at(-1)).toMatchObject({ read: 22_000 });
	});

	test('reads only the head if something after it changed', () => {
		const requests = growing(3, { headTokens: 12_000 });
		const compacted = { at: 3 * minute, promptTokens: 16_000, unchangedTokens: 13_000, headTokens: 12_000 };
		expect(predictCacheUse([...requests, compacted], anthropic).at(-1)).toEqual({
			read: 12_000,
			write: 4000,
			input: 0,
		});
	});

	test('stores no prompt below the minimum of the model', () => {
		const requests = [
			{ promptTokens: 3000, unchangedTokens: 0 },
			{ promptTokens: 3500, unchangedTokens: 3000 },
		];
		const opus = lookupCacheRules('anthropic', 'claude-opus-4-6');
		expect(predictCacheUse(requests, opus)).toEqual([
			{ read: 0, write: 0, input: 3000 },
			{ read: 0, write: 0, input: 3500 },
		]);
		expect(predictCacheUse(requests, anthropic)[1]).toMatchObject({ read: 3000, write: 500 });
	});

	test('reads what other sessions keep warm, even after a pause', () => {
		const requests = growing(2, { sharedTokens: 15_000 });
		const late = { ...(requests[1] as PromptRequest), at: 90 * minute };
		expect(predictCacheUse([requests[0] as PromptRequest, late], anthropic)).toMatchObject([
			{ read: 15_000 },
			{ read: 15_000 },
		]);
	});
});

describe('an automatic cache', () => {
	test('reads whole blocks and pays the rest as input', () => {
		expect(predictCacheUse(growing(2), openAi)[1]).toEqual({
			read: 156 * 128,
			write: 0,
			input: 21_000 - 156 * 128,
		});
	});

	test('reads everything before a change', () => {
		const requests = [...growing(3), { at: 3 * minute, promptTokens: 18_000, unchangedTokens: 16_000 }];
		expect(predictCacheUse(requests, openAi).at(-1)).toMatchObject({ read: 16_000, input: 2000 });
	});

	test('charges writes for models whose provider does', () => {
		const rules = lookupCacheRules('openai', 'gpt-5.6');
		expect(predictCacheUse(growing(1), rules)).toEqual([{ read: 0, write: 20_000, input: 0 }]);
	});
});

test('every token of a prompt is read, written or plain input', () => {
	const request = fc.record({
		at: fc.option(fc.nat(10_000_000), { nil: undefined }),
		promptTokens: fc.integer({ min: 1, max: 200_000 }),
		unchangedTokens: fc.nat(200_000),
		headTokens: fc.option(fc.nat(50_000), { nil: undefined }),
		sharedTokens: fc.option(fc.nat(50_000), { nil: undefined }),
	});
	fc.assert(
		fc.property(fc.array(request, { maxLength: 30 }), fc.constantFrom(anthropic, openAi), (drawn, rules) => {
			const requests = drawn.map(
				(fields) =>
					Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never,
			);
			const uses = predictCacheUse(requests, rules);
			for (const [index, { read, write, input }] of uses.entries()) {
				expect(read + write + input).toBe(drawn[index]?.promptTokens);
				expect(Math.min(read, write, input)).toBeGreaterThanOrEqual(0);
			}
		}),
	);
});
