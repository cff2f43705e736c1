/** Whether a daemon answers at all. */

import { deadlines } from './patience.ts';
import type { Ask } from './ports.ts';

/** Whether the daemon itself answered with this error: the contract's codes are numbers, those of systems are words. */
function isAnswer(error: unknown): boolean {
	return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

/**
 * Rejects soon if the daemon is stopped or cannot be started, so that a person does not wait for the deadlines of the
 * work itself. Asks for one reading.
 */
export async function requireDaemon(ask: Ask, sessionId: string): Promise<void> {
	try {
		await ask('context/stats', { sessionId }, { timeoutMs: deadlines.presence });
	} catch (error) {
		if (!isAnswer(error)) throw error;
	}
}
