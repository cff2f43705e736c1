import { describe, expect, it } from 'vitest';
import { deadlines, expectedRatio, timeoutFor } from '../../kit/timeouts.ts';

describe('a request', () => {
	it('waits long only where a decision may be due', () => {
		expect(timeoutFor(0.5, 0)).toBe(deadlines.replay);
		expect(timeoutFor(0.75, 0)).toBe(deadlines.decision);
		expect(timeoutFor(0.75, 1)).toBe(deadlines.decision);
	});

	it('waits no longer for a daemon that kept others waiting', () => {
		expect(timeoutFor(0.99, 2)).toBe(deadlines.replay);
	});

	it('is expected to come to what was in use, and what is new', () => {
		expect(expectedRatio({ ratio: 0.5, units: 30_000, contextWindow: 100_000 })).toBeCloseTo(0.6);
		expect(expectedRatio({ units: 90_000, contextWindow: 100_000 })).toBeCloseTo(0.3);
		expect(expectedRatio({ ratio: 0.5, units: 30_000 })).toBe(0.5);
	});
});
