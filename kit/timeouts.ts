/** How long a request may wait for the daemon. */

import { minCacheLifetimeMs } from '../server/core/cost/cacheState.ts';
import type { Ask } from './ports.ts';

/** Milliseconds for a request that needs no decision, for a first answer before a command, and for a decision. */
export const requestTimeouts = { replay: 300, presence: 2500, decision: 5000 } as const;

/** Share of the limit from which a decision may be due at the next request, whatever the daemon said. */
const nearShare = 0.7;
/** A decision may also be due this share of the limit below the point that the daemon stated last. */
const dueMargin = 0.1;
/** Share of the limit below which no compaction is due after a pause. */
const minPauseShare = 0.1;
/** UTF-16 units of JSON per token; low, so that tokens are overestimated. */
const unitsPerToken = 3;

/** Missed decisions in a row after which requests stop waiting for one. */
const maxMisses = 2;

/** What is known about the usage before the daemon is asked. */
export interface KnownUsage {
	/** Share of the limit in use at the request before; absent if it is unknown. */
	ratio?: number;
	/** UTF-16 units that are new since then, or of the whole list if `ratio` is unknown. */
	units: number;
	/** Tokens of the window; absent if the host did not state it. */
	contextWindow?: number;
}

/** Returns the share of the limit that a request may use. */
export function expectedRatio({ ratio = 0, units, contextWindow }: KnownUsage): number {
	return ratio + (contextWindow ? units / unitsPerToken / contextWindow : 0);
}

/** What decides whether a compaction may be due. */
export interface DueSigns {
	/** Share of the limit that the request may use. */
	expected: number;
	/** Share of the limit at which a compaction is due, as the daemon stated last; absent if it never answered. */
	due?: number;
	/** Milliseconds since the request before; absent if this process has sent none. */
	pauseMs?: number;
}

/** Whether a compaction may be due at a request: by its size, or because the provider's cache may have expired. */
export function isDecisionNear({ expected, due = 1, pauseMs = Number.POSITIVE_INFINITY }: DueSigns): boolean {
	if (expected >= Math.min(nearShare, due - dueMargin)) return true;
	return pauseMs >= minCacheLifetimeMs && expected >= minPauseShare;
}

/**
 * Returns how long a request waits, in milliseconds: long only if a decision may be due and the daemon was in time before.
 * @param misses decisions in a row that were not made in time
 */
export function timeoutFor(isNear: boolean, misses: number): number {
	return isNear && misses < maxMisses ? requestTimeouts.decision : requestTimeouts.replay;
}

/**
 * Returns the result of a task; rejects with the error that `late` returns if a wait ends first. The task continues.
 * @param wait ends when the time is over; if it rejects, the task may take any time
 */
export function withinTime<Result>(
	task: Promise<Result>,
	wait: Promise<unknown>,
	late: () => Error,
): Promise<Result> {
	return new Promise((resolve, reject) => {
		task.then(resolve, reject);
		wait.then(
			() => reject(late()),
			() => {},
		);
	});
}

/** Whether the daemon sent this error: codes of the contract are numbers, codes of the system are strings. */
function isAnswer(error: unknown): boolean {
	if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) return false;
	return !('kind' in error && error.kind === 'DaemonSuspended');
}

/**
 * Rejects within 2.5 s if the daemon is stopped or cannot be started, so that a user does not wait for the longer timeouts of
 * the command itself. Sends one `context/stats`.
 */
export async function requireDaemon(ask: Ask, sessionId: string): Promise<void> {
	try {
		await ask('context/stats', { sessionId }, { timeoutMs: requestTimeouts.presence });
	} catch (error) {
		if (!isAnswer(error)) throw error;
	}
}
