import { describe, expect, it } from 'vitest';
import { computeRetryMs } from '../../../server/core/ask/callFailure.ts';

const first = { retries: 0, maxRetries: 3, remainingMs: 100_000 };

describe('retrying a failed call', () => {
	it('each retry of a failed call waits longer, up to the allowed number of retries', () => {
		const waits = [0, 1, 2, 3].map((retries) => computeRetryMs({ retryable: true }, { ...first, retries }));
		expect(waits).toEqual([500, 1000, 2000, undefined]);
	});

	it('a retry of a failed call waits at most 8 seconds', () => {
		expect(computeRetryMs({ retryable: true }, { retries: 20, maxRetries: 30, remainingMs: 100_000 })).toBe(
			8000,
		);
	});

	it('a failed call is not retried if that cannot help or the call timed out', () => {
		expect(computeRetryMs({ retryable: false }, first)).toBeUndefined();
		expect(computeRetryMs({ retryable: true, hasTimedOut: true }, first)).toBeUndefined();
	});

	it.each([
		[2000, 2000],
		[30_000, 30_000],
		[30_001, undefined],
	])('a retry waits as long as the provider asks, up to 30 seconds: %i ms', (retryAfterMs, wait) => {
		expect(computeRetryMs({ retryable: true, retryAfterMs }, first)).toBe(wait);
	});

	it('a failed call is not retried if the wait would exceed the remaining time', () => {
		expect(
			computeRetryMs({ retryable: true, retryAfterMs: 9000 }, { ...first, remainingMs: 9000 }),
		).toBeUndefined();
	});
});
