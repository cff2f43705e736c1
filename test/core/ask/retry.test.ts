import { describe, expect, it } from 'vitest';
import { retryDelay } from '../../../server/core/ask/callFailure.ts';

const first = { retried: 0, maxRetries: 3, left: 100_000 };

describe('a call that brought no answer', () => {
	it('is made again after ever longer waits, as often as is allowed', () => {
		const waits = [0, 1, 2, 3].map((retried) => retryDelay({ retryable: true }, { ...first, retried }));
		expect(waits).toEqual([500, 1000, 2000, undefined]);
	});

	it('waits 8 seconds at most, however often it was made', () => {
		expect(retryDelay({ retryable: true }, { retried: 20, maxRetries: 30, left: 100_000 })).toBe(8000);
	});

	it('is not made again where that cannot help, or where its time was up', () => {
		expect(retryDelay({ retryable: false }, first)).toBeUndefined();
		expect(retryDelay({ retryable: true, timedOut: true }, first)).toBeUndefined();
	});

	it.each([
		[2000, 2000],
		[30_000, 30_000],
		[30_001, undefined],
	])('waits as long as the other side asks for, up to 30 seconds: %i ms', (retryAfterMs, wait) => {
		expect(retryDelay({ retryable: true, retryAfterMs }, first)).toBe(wait);
	});

	it('is not made again where the wait would take all the time that is left', () => {
		expect(retryDelay({ retryable: true, retryAfterMs: 9000 }, { ...first, left: 9000 })).toBeUndefined();
	});
});
