import { shutdown } from '../../protocol/lifecycle.ts';
import type { Logger } from '../../session/ports.ts';
import { describeReceived } from '../wire/shown.ts';
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

/**
 * Ends a connection in order: stop reading, answer what was read, release, flush, close.
 *
 * The end begins once; a later reason only shortens its waits and counts for the exit code. `release` runs once, for
 * `shutdown` or at the end.
 */
export class ConversationEnding {
	readonly #steps: EndingSteps;
	readonly #reasons: EndReason[] = [];
	#hasFailed = false;
	#hasCancelled = false;
	#released: Promise<void> | undefined;
	#endWait: () => void = () => {};
	/** Resolves when the wait for answers and for the last bytes is over, whatever is missing. */
	readonly #waitEnded = new Promise<void>((resolve) => {
		this.#endWait = resolve;
	});
	#resolveExitCode: (code: number) => void = () => {};
	/** 0 after `shutdown`, a stop or a plain end of input; else 1. Never rejects. */
	readonly exitCode = new Promise<number>((resolve) => {
		this.#resolveExitCode = resolve;
	});

	constructor(steps: EndingSteps) {
		this.#steps = steps;
	}

	/** Begins to end the connection; a second reason may shorten the wait. */
	begin(reason: EndReason): void {
		this.#reasons.push(reason);
		if (this.#reasons.length === 1) void this.#end(reason);
		else if (reason !== 'ended') setTimeout(this.#endWait, this.#graceOf(reason));
	}

	/** Handles `shutdown`: waits up to 3 seconds for other requests, cancels and logs the rest, and frees resources. */
	async shutDown(): Promise<void> {
		await this.#settle(shutdownMs, 1);
		await this.#release();
	}

	async #end(reason: EndReason): Promise<void> {
		const steps = this.#steps;
		const grace = this.#graceOf(reason);
		steps.stopInput();
		await this.#settle(grace, 0);
		try {
			await this.#release();
		} catch (error) {
			this.#hasFailed = true;
			steps.logger.error(
				`could not end in an orderly way: ${error instanceof Error ? error.stack : String(error)}`,
			);
		}
		await finishedWithin(Promise.race([steps.flushed(), this.#waitEnded]), grace);
		await finishedWithin(steps.flushed(), finishMs);
		steps.close();
		// Only now, since a `shutdown` before `exit` may still have been queued.
		this.#resolveExitCode(this.#hasFailed ? 1 : Math.max(...this.#reasons.map((one) => this.#codeOf(one))));
	}

	async #settle(grace: number, remaining: number): Promise<void> {
		const { drain, logger } = this.#steps;
		await finishedWithin(Promise.race([drain.settled(remaining), this.#waitEnded]), grace);
		if (drain.unfinished <= remaining) return;
		this.#cancelRunning(grace);
		if (await finishedWithin(drain.settled(remaining), finishMs)) return;
		logger.warn('some requests did not stop when they were cancelled');
	}

	/** Logs the requests that `shutdown` had to cancel, since its own result is always null. */
	#cancelRunning(grace: number): void {
		const { unanswered, running, logger } = this.#steps;
		const cancelled = unanswered().filter(({ method }) => method !== shutdown.method);
		if (cancelled.length > 0 && !this.#hasCancelled) {
			logger.warn(
				`cancelled after ${grace / 1_000} s, because the daemon is stopping: ${namesOf(cancelled)}`,
			);
		}
		this.#hasCancelled = true;
		for (const controller of running.keys()) controller.abort();
	}

	#release(): Promise<void> {
		this.#released ??= Promise.resolve().then(() => this.#steps.release());
		return this.#released;
	}

	/** `exit` may follow `shutdown` immediately, and does not shorten its limit. */
	#graceOf(reason: EndReason): number {
		return reason === 'exit' && this.#steps.lifecycle.phase === 'shutdown' ? shutdownMs : graceMs[reason];
	}

	#codeOf(reason: EndReason): number {
		if (reason === 'broken') return 1;
		if (reason === 'ended' || reason === 'stopped') return 0;
		return this.#steps.lifecycle.phase === 'shutdown' ? 0 : 1;
	}
}

function namesOf(requests: readonly UnansweredRequest[]): string {
	const names = requests
		.slice(0, maxNamedRequests)
		.map(({ id, method }) => `${describeReceived(method)} (id ${describeReceived(id)})`);
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
