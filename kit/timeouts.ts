/** Decides how long a request of the agent may wait for the daemon. */

import { minCacheLifetimeMs } from '../server/core/cost/cacheState.ts';
import type { Ask } from './ports.ts';

/**
 * Milliseconds to wait: `replay` if no decision is due, `presence` for a sign of life before a command, `decision` if one is
 * due, `lookup` for an answer that no request to the model waits for.
 */
export const timeouts = { replay: 300, presence: 2500, decision: 5000, lookup: 30_000 } as const;

/** A decision may be due from this share of the limit on, even if the daemon last stated a higher share. */
const nearShare = 0.7;
/** A decision may be due this far below the share that the daemon stated last. */
const dueMargin = 0.1;
/** Minimum share of the limit at which a pause can make a compaction due. */
const minPauseShare = 0.1;
/** UTF-16 units of JSON per token. Lower than the real average, so that tokens are overestimated. */
const unitsPerToken = 3;

/** Number of missed decisions in a row after which requests no longer wait for a decision. */
const maxMisses = 2;

/** What is known about the usage of the window before the daemon is asked. */
export interface KnownUsage {
	/** Share of the limit that the previous request used; absent if it is unknown. */
	ratio?: number;
	/** UTF-16 units of the messages since the previous request, or of the whole list if `ratio` is unknown. */
	units: number;
	/** Size of the window in tokens; absent if the host did not state it. */
	contextWindow?: number;
}

/** Estimates the share of the limit that a request uses. The estimate is rather too high than too low. */
export function estimateRatio({ ratio = 0, units, contextWindow }: KnownUsage): number {
	return ratio + (contextWindow ? units / unitsPerToken / contextWindow : 0);
}

/** Figures that show whether a compaction may be due. */
export interface DueFigures {
	/** Estimated share of the limit that the request uses. */
	ratio: number;
	/** Share of the limit at which a compaction is due, as the daemon stated last; absent if it never answered. */
	dueShare?: number;
	/** Milliseconds since the previous request; absent if this process has sent none. */
	pauseMs?: number;
}

/** Whether a compaction may be due at a request because of its size, or because the provider's cache may have expired. */
export function isDecisionNear({
	ratio,
	dueShare = 1,
	pauseMs = Number.POSITIVE_INFINITY,
}: DueFigures): boolean {
	if (ratio >= Math.min(nearShare, dueShare - dueMargin)) return true;
	return pauseMs >= minCacheLifetimeMs && ratio >= minPauseShare;
}

/**
 * Returns how long a request waits for the daemon, in milliseconds. It is long only if a decision may be due and the daemon has
 * not missed several in a row.
 * @param misses number of decisions in a row that were not made in time
 */
export function chooseTimeoutMs(isNear: boolean, misses: number): number {
	return isNear && misses < maxMisses ? timeouts.decision : timeouts.replay;
}

/**
 * Returns the result of a task; rejects with the error of `createError` if `wait` resolves first. The task itself continues.
 * @param wait resolves when the time is over; if it rejects, there is no time limit
 */
export function rejectOnTimeout<Result>(
	task: Promise<Result>,
	wait: Promise<unknown>,
	createError: () => Error,
): Promise<Result> {
	return new Promise((resolve, reject) => {
		task.then(resolve, reject);
		wait.then(
			() => reject(createError()),
			() => {},
		);
	});
}

/** Whether an error is an answer of the daemon: codes of the contract are numbers, codes of the system are strings. */
function isAnswer(error: unknown): boolean {
	if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) return false;
	return !('kind' in error && error.kind === 'DaemonSuspended');
}

/**
 * Rejects within 2.5 s if the daemon is suspended or cannot be started, because a user should not wait for the longer timeout
 * of a command. Sends one `context/stats`.
 */
export async function requireDaemon(ask: Ask, sessionId: string): Promise<void> {
	try {
		await ask('context/stats', { sessionId }, { timeoutMs: timeouts.presence });
	} catch (error) {
		if (!isAnswer(error)) throw error;
	}
}
