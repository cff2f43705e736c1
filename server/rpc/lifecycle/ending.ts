import { shutdown } from '../../protocol/lifecycle.ts';
import type { Logger } from '../../session/ports.ts';
import { shown } from '../wire/shown.ts';
import type { Drain, UnansweredRequest } from './drain.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Why the conversation ends. */
type EndReason =
	/** The input is over. */
	| 'ended'
	/** The input can be read no further. */
	| 'broken'
	/** The client sent `exit`. */
	| 'exit'
	/** The daemon was told to stop. */
	| 'stopped'
	/** Nobody is there to read an answer. */
	| 'gone';

/**
 * Milliseconds that `shutdown` waits for running requests before it cancels them. Clients stop waiting for its answer
 * after 2 to 5 seconds and then kill the server.
 */
const shutdownMs = 3_000;

/** Cancelled requests that the log names. */
const maxNamedRequests = 10;

/** Ms that running requests have to finish before they are cancelled. Who closed the input wants its answers. */
const graceMs: Readonly<Record<EndReason, number>> = {
	ended: 120_000,
	broken: 5_000,
	exit: 1_000,
	stopped: 1_000,
	gone: 0,
};

/** Ms that cancelled requests, and the last bytes, have to come to their end. */
const lastMs = 1_000;

export interface EndingSteps {
	drain: Drain;
	lifecycle: Lifecycle;
	running: ReadonlyMap<AbortController, unknown>;
	unanswered(): readonly UnansweredRequest[];
	logger: Logger;
	/** Reads nothing more. */
	stopInput(): void;
	/** Lets go of what the daemon holds. */
	release(): void | Promise<void>;
	flushed(): Promise<void>;
	/** Sends nothing more. */
	close(): void;
}

export interface Ending {
	/** 0 after `shutdown`, a stop, or where the input simply ended; else 1. Never rejects. */
	exitCode: Promise<number>;
	/** Starts the end; a second reason may hasten it. */
	begin(reason: EndReason): void;
	/** Does the work of `shutdown`: waits up to 3 seconds for what else runs, cancels and reports the rest, and lets go. */
	shutDown(): Promise<void>;
}

/** The orderly end: read no more, answer what was read, let go, flush, close. */
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
	let tellExitCode: (code: number) => void = () => {};
	const exitCode = new Promise<number>((resolve) => {
		tellExitCode = resolve;
	});

	/** Requests that `shutdown` had to cancel are logged: its own result is always null. */
	function cancelRunning(grace: number): void {
		const cancelled = steps.unanswered().filter(({ method }) => method !== shutdown.method);
		if (cancelled.length > 0 && !hasCancelled) {
			logger.warn(`cancelled after ${grace / 1_000} s, because the daemon ends: ${namesOf(cancelled)}`);
		}
		hasCancelled = true;
		for (const controller of steps.running.keys()) controller.abort();
	}

	async function settle(grace: number, remaining: number): Promise<void> {
		await finishedWithin(Promise.race([drain.settled(remaining), hurried]), grace);
		if (drain.unfinished <= remaining) return;
		cancelRunning(grace);
		if (await finishedWithin(drain.settled(remaining), lastMs)) return;
		logger.warn('some requests did not stop when they were cancelled');
	}

	function release(): Promise<void> {
		released ??= Promise.resolve().then(() => steps.release());
		return released;
	}

	/** `exit` may follow `shutdown` at once, and does not shorten its limit. */
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
			logger.error(`the end was not orderly: ${error instanceof Error ? error.stack : String(error)}`);
		}
		await finishedWithin(Promise.race([steps.flushed(), hurried]), grace);
		await finishedWithin(steps.flushed(), lastMs);
		steps.close();
		// Only now, since a `shutdown` that came before `exit` may have had to wait for its turn.
		tellExitCode(hasFailed ? 1 : Math.max(...reasons.map(codeOf)));
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
 * Waits for `work`, but no longer than `limit` ms; gives whether the work was done by then. The work goes on
 * all the same; its rejection is passed on if it comes in time.
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
