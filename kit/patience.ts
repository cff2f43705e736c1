/** How long a request may wait for the daemon. */

import type { Ask } from './ports.ts';

/** Milliseconds: for a request that needs no decision, for a sign of life before a command, and for a decision. */
export const deadlines = { replay: 300, presence: 2500, decision: 5000 } as const;

/** Share of the limit from which on a decision may be due at the next request; contextd decides from 80% on. */
const near = 0.7;
/** UTF-16 units of JSON a token, low enough to be on the safe side. */
const unitsPerToken = 3;

/** Decisions that may be missed in a row before requests stop waiting for one. */
const mostMisses = 2;

/** What is known before the daemon is asked. */
export interface Known {
	/** Share of the limit in use at the request before; absent where that is not known. */
	ratio?: number;
	/** UTF-16 units of what is new since, or of all where nothing is known. */
	units: number;
	/** Tokens of the window; absent where the host did not say. */
	contextWindow?: number;
}

/** Share of the limit that a request may come to. */
export function expectedRatio({ ratio = 0, units, contextWindow }: Known): number {
	return ratio + (contextWindow ? units / unitsPerToken / contextWindow : 0);
}

/**
 * Milliseconds that a request waits: long only where a decision may be due, and the daemon has not kept others waiting.
 * @param expected share of the limit that the request may come to
 * @param misses decisions in a row that were not made in time
 */
export function patienceFor(expected: number, misses: number): number {
	return isDecisionNear(expected) && misses < mostMisses ? deadlines.decision : deadlines.replay;
}

/** Whether a decision may be due for a request that may come to a share of the limit. */
export function isDecisionNear(expected: number): boolean {
	return expected >= near;
}

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
