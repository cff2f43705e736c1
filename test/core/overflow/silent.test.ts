import { expect, it } from 'vitest';
import { isSilentOverflow } from '../../../server/core/overflow/outcome.ts';

const contextWindow = 100_000;

it.each([
	['input beyond the window', { usage: { input: 100_001, output: 5 }, stopReason: 'stop' }, true],
	[
		'input and cache beyond the window',
		{ usage: { input: 1, output: 5, cacheRead: 90_000, cacheWrite: 10_000 } },
		true,
	],
	['input that fills the window', { usage: { input: 100_000, output: 5 }, stopReason: 'stop' }, false],
	['no output in a full window', { usage: { input: 99_000, output: 0 }, stopReason: 'length' }, true],
	['no output in a window with room', { usage: { input: 98_999, output: 0 }, stopReason: 'length' }, false],
	['some output in a full window', { usage: { input: 99_500, output: 500 }, stopReason: 'length' }, false],
	['no output without a cut', { usage: { input: 99_500, output: 0 }, stopReason: 'stop' }, false],
	['a stop reason that says so', { stopReason: 'model_context_window_exceeded' }, true],
	['nothing known', {}, false],
])('detects whether an answer hides an overflow: %s', (_, call, expected) => {
	expect(isSilentOverflow({ ...call, contextWindow })).toBe(expected);
});
