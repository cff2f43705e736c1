import { vi } from 'vitest';

/**
 * Waits until a check passes, and returns its result; checks every 10 ms. On an idle machine every check passes soon:
 * the long limit is for a busy one.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
	return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}
