import { vi } from 'vitest';

/**
 * Waits until a check passes, and gives what it gives; looks every 10 ms. A check that passes at all does so at once
 * on a machine that has time: the limit is for one that has none.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
	return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}
