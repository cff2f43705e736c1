import { expect, it } from 'vitest';
import { classifyOutcome } from '../../../server/core/overflow/outcome.ts';

const contextWindow = 100_000;

it('detects an overflow without an error from usage alone', () => {
	const usage = { input: 20_000, output: 5, cacheRead: 90_000 };
	expect(classifyOutcome(undefined, { contextWindow, usage })).toEqual({
		isContextOverflow: true,
		provider: null,
		actualTokens: 110_000,
		retryable: false,
	});
});

it('reports no overflow for usage within the window', () => {
	const usage = { input: 99_000, output: 5 };
	expect(classifyOutcome(undefined, { contextWindow, usage })).toMatchObject({ isContextOverflow: false });
	expect(classifyOutcome(undefined, { usage })).toMatchObject({ isContextOverflow: false });
});

it('reads the stop reason of a response in addition to the given usage', () => {
	const cutOff = { choices: [{ finish_reason: 'length' }] };
	const full = { input: 99_500, output: 0 };
	expect(classifyOutcome(cutOff, { contextWindow, usage: full }).isContextOverflow).toBe(true);
	const short = { input: 20_000, output: 0 };
	expect(classifyOutcome(cutOff, { contextWindow, usage: short }).isContextOverflow).toBe(false);
	const silent = { stop_reason: 'model_context_window_exceeded' };
	expect(classifyOutcome(silent, {}).isContextOverflow).toBe(true);
});

it('prefers the error over the usage', () => {
	const error = 'prompt is too long: 213462 tokens > 200000 maximum';
	const usage = { input: 5, output: 5 };
	expect(classifyOutcome(error, { contextWindow, usage })).toMatchObject({ actualTokens: 213_462 });
});

it('detects unknown wording by a figure beyond the window', () => {
	const error = 'Your prompt of 120000 tokens is more than we can take.';
	expect(classifyOutcome(error, {}).isContextOverflow).toBe(false);
	expect(classifyOutcome(error, { contextWindow })).toMatchObject({
		isContextOverflow: true,
		actualTokens: 120_000,
		limitTokens: contextWindow,
	});
});
