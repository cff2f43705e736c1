import { expect, it } from 'vitest';
import { classifyOutcome } from '../../../server/core/overflow/outcome.ts';

const contextWindow = 100_000;

it('an overflow without an error is detected from usage alone', () => {
	const usage = { input: 20_000, output: 5, cacheRead: 90_000 };
	expect(classifyOutcome(undefined, { contextWindow, usage })).toEqual({
		isContextOverflow: true,
		provider: null,
		actualTokens: 110_000,
		retryable: false,
	});
});

it('usage within the window is no overflow', () => {
	const usage = { input: 99_000, output: 5 };
	expect(classifyOutcome(undefined, { contextWindow, usage })).toMatchObject({ isContextOverflow: false });
	expect(classifyOutcome(undefined, { usage })).toMatchObject({ isContextOverflow: false });
});

it('the stop reason of a response counts in addition to the given usage', () => {
	const cutOff = { choices: [{ finish_reason: 'length' }] };
	const full = { input: 99_500, output: 0 };
	expect(classifyOutcome(cutOff, { contextWindow, usage: full }).isContextOverflow).toBe(true);
	const short = { input: 20_000, output: 0 };
	expect(classifyOutcome(cutOff, { contextWindow, usage: short }).isContextOverflow).toBe(false);
	const silent = { stop_reason: 'model_context_window_exceeded' };
	expect(classifyOutcome(silent, {}).isContextOverflow).toBe(true);
});

it('the error of an outcome is preferred over its usage', () => {
	const error = 'prompt is too long: 213462 tokens > 200000 maximum';
	const usage = { input: 5, output: 5 };
	expect(classifyOutcome(error, { contextWindow, usage })).toMatchObject({ actualTokens: 213_462 });
});

it('an unknown wording with a figure beyond the window is an overflow', () => {
	const error = 'Your prompt of 120000 tokens is more than we can take.';
	expect(classifyOutcome(error, {}).isContextOverflow).toBe(false);
	expect(classifyOutcome(error, { contextWindow })).toMatchObject({
		isContextOverflow: true,
		actualTokens: 120_000,
		limitTokens: contextWindow,
	});
});
