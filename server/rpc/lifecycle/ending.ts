import { shutdown } from '../../protocol/lifecycle.ts';
import type { Logger } from '../../session/ports.ts';
import { shown } from '../wire/shown.ts';
import type { Drain, UnansweredRequest } from './drain.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Why a connection ends. */
type EndReason =
	/** The input ended. */
	| 'ended'
	/** The input can no longer be decoded. */
	| 'broken'
	/** The client sent `exit`. */
	| 'exit'
	/** The daemon was asked to stop. */
	| 'stopped'
	/** The client can no longer read answers. */
	| 'gone';

/**
 * How long `shutdown` waits for running requests before it cancels them, in milliseconds.
 *
 * Clients wait 2 to 5 seconds for its answer and then kill the server.
 */
const shutdownMs = 3_000;

/** Cancelled requests named in the log. */
const maxNamedRequests = 10;

/** Milliseconds until running requests are cancelled. A client that closed the input still wants answers. */
const graceMs: Readonly<Record<EndReason, number>> = {
	ended: 120_000,
	broken: 5_000,
	exit: 1_000,
	stopped: 1_000,
	gone: 0,
};

/** Milliseconds that cancelled requests, and then the last bytes, have to finish. */
const finishMs = 1_000;

export interface EndingSteps {
	drain: Drain;
	lifecycle: Lifecycle;
	running: ReadonlyMap<AbortController, unknown>;
	unanswered(): readonly UnansweredRequest[];
	logger: Logger;
	/** Stops reading. */
	stopInput(): void;
	/** Releases what the daemon holds. */
	release(): void | Promise<void>;
	flushed(): Promise<void>;
	/** Stops sending. */
	close(): void;
}

export interface Ending {
	/** 0 after `shutdown`, a stop or a plain end of input; else 1. Never rejects. */
	exitCode: Promise<number>;
	/** Begins to end the connection; a second reason may shorten the wait. */
	begin(reason: EndReason): void;
	/** Handles `shutdown`: waits up to 3 seconds for other requests, cancels and logs the rest, then releases. */
	shutDown(): Promise<void>;
}

/** Ends a connection in order: stop reading, answer what was read, release, flush, close. */
export function createEnding(steps: EndingSteps): Ending {
	const { drain, lifecycle, logger } = steps;
	const reasons: EndReason[] = [];
	let hasFailed = false;
	let hasCancelled = false;
	let released: Promise<void> | undefined;
	let hurry: () => void = () => {};
	const hurried = new Promise<void>((resolve) => {
		hurry = resolve;
	});
	let resolveExitCode: (code: number) => void = () => {};
	const exitCode = new Promise<number>((resolve) => {
		resolveExitCode = resolve;
	});

	/** Logs the requests that `shutdown` had to cancel, since its own result is always null. */
	function cancelRunning(grace: number): void {
		const cancelled = steps.unanswered().filter(({ method }) => method !== shutdown.method);
		if (cancelled.length > 0 && !hasCancelled) {
			logger.warn(
				`cancelled after ${grace / 1_000} s, because the daemon is stopping: ${namesOf(cancelled)}`,
			);
		}
		hasCancelled = true;
		for (const controller of steps.running.keys()) controller.abort();
	}

	async function settle(grace: number, remaining: number): Promise<void> {
		await finishedWithin(Promise.race([drain.settled(remaining), hurried]), grace);
		if (drain.unfinished <= remaining) return;
		cancelRunning(grace);
		if (await finishedWithin(drain.settled(remaining), finishMs)) return;
		logger.warn('some requests did not stop when they were cancelled');
	}

	function release(): Promise<void> {
		released ??= Promise.resolve().then(() => steps.release());
		return released;
	}

	/** `exit` may follow `shutdown` immediately, and does not shorten its limit. */
	function graceOf(reason: EndReason): number {
		return reason === 'exit' && lifecycle.phase === 'shutdown' ? shutdownMs : graceMs[reason];
	}

	function codeOf(reason: EndReason): number {
		if (reason === 'broken') return 1;
		if (reason === 'ended' || reason === 'stopped') return 0;
		return lifecycle.phase === 'shutdown' ? 0 : 1;
	}

	async function end(reason: EndReason): Promise<void> {
		const grace = graceOf(reason);
		steps.stopInput();
		await settle(grace, 0);
		try {
			await release();
		} catch (error) {
			hasFailed = true;
			logger.error(
				`could not end in an orderly way: ${error instanceof Error ? error.stack : String(error)}`,
			);
		}
		await finishedWithin(Promise.race([steps.flushed(), hurried]), grace);
		await finishedWithin(steps.flushed(), finishMs);
		steps.close();
		// Only now, since a `shutdown` before `exit` may still have been queued.
		resolveExitCode(hasFailed ? 1 : Math.max(...reasons.map(codeOf)));
	}

	return {
		exitCode,
		begin(reason) {
			reasons.push(reason);
			if (reasons.length === 1) void end(reason);
			else if (reason !== 'ended') setTimeout(hurry, graceOf(reason));
		},
		async shutDown() {
			await settle(shutdownMs, 1);
			await release();
		},
	};
}

function namesOf(requests: readonly UnansweredRequest[]): string {
	const names = requests
		.slice(0, maxNamedRequests)
		.map(({ id, method }) => `${shown(method)} (id ${shown(id)})`);
	const others = requests.length - names.length;
	return others > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ');
}

/**
 * Waits for `work`, but at most `limit` milliseconds; returns whether it finished by then.
 *
 * The work continues in any case. Its rejection is passed on if it happens in time.
 */
async function finishedWithin(work: Promise<unknown>, limit: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), limit);
	});
	try {
		return await Promise.race([work.then(() => true), tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
