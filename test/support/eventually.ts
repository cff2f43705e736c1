import { vi } from 'vitest';

/**
 * Waits until a check passes, and returns its result; checks every 10 ms. The limit is long because the machine may be
 * busy.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
	return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}
