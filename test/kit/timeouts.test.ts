import { describe, expect, it } from 'vitest';
import { expectedRatio, requestTimeouts, timeoutFor } from '../../kit/timeouts.ts';

describe('timeouts of requests', () => {
	it('timeoutFor is long only if a decision may be due', () => {
		expect(timeoutFor(0.5, 0)).toBe(requestTimeouts.replay);
		expect(timeoutFor(0.75, 0)).toBe(requestTimeouts.decision);
		expect(timeoutFor(0.75, 1)).toBe(requestTimeouts.decision);
	});

	it('timeoutFor is short for a daemon that was slow before', () => {
		expect(timeoutFor(0.99, 2)).toBe(requestTimeouts.replay);
	});

	it('expectedRatio adds new text to the last usage', () => {
		expect(expectedRatio({ ratio: 0.5, units: 30_000, contextWindow: 100_000 })).toBeCloseTo(0.6);
		expect(expectedRatio({ units: 90_000, contextWindow: 100_000 })).toBeCloseTo(0.3);
		expect(expectedRatio({ ratio: 0.5, units: 30_000 })).toBe(0.5);
	});
});
