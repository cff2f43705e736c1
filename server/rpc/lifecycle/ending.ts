import { shutdown } from '../../protocol/lifecycle.ts';
import type { Logger } from '../../session/ports.ts';
import { describeReceived } from '../wire/describeValue.ts';
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
 * Milliseconds that `shutdown` waits for running requests before it cancels them.
 *
 * Clients wait 2 to 5 seconds for the answer to `shutdown` and then kill the server.
 */
const maxShutdownMs = 3_000;

/** Maximum cancelled requests to name in the log. */
const maxNamedRequests = 10;

/** Milliseconds until running requests are cancelled. A client that only closed its input still wants answers. */
const graceMsByReason: Readonly<Record<EndReason, number>> = {
	ended: 120_000,
	broken: 5_000,
	exit: 1_000,
	stopped: 1_000,
	gone: 0,
};

/** Milliseconds for cancelled requests to finish, and the same again for the client to read the last bytes. */
const maxFinishMs = 1_000;

export interface EndingSteps {
	drain: Drain;
	lifecycle: Lifecycle;
	runningRequests: ReadonlyMap<AbortController, unknown>;
	listUnanswered(): readonly UnansweredRequest[];
	logger: Logger;
	stopInput(): void;
	/** Releases what this client used in the daemon. */
	release(): void | Promise<void>;
	waitUntilFlushed(): Promise<void>;
	/** Stops sending. */
	close(): void;
}

/**
 * Ends a connection in order: stop reading, answer what was read, release, flush, close.
 *
 * Only the first reason begins the end. A later one can shorten the waits and affects the exit code. `release` runs
 * once, for `shutdown` or at the end.
 */
export class ConversationEnding {
	readonly #steps: EndingSteps;
	readonly #reasons: EndReason[] = [];
	#hasReleaseFailed = false;
	#hasCancelled = false;
	#releasing: Promise<void> | undefined;
	#resolveWait: () => void = () => {};
	/** Resolves when the wait for answers and for the last bytes must end, even if some are missing. */
	readonly #waitEnd = new Promise<void>((resolve) => {
		this.#resolveWait = resolve;
	});
	#resolveExitCode: (code: number) => void = () => {};
	/** Exit code: 0 after `shutdown`, a stop or a plain end of input, else 1. Never rejects. */
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
		else if (reason !== 'ended') setTimeout(this.#resolveWait, this.#chooseGraceMs(reason));
	}

	/**
	 * Handles `shutdown`: waits up to 3 seconds for other requests, cancels and logs those that still run, and releases
	 * resources.
	 */
	async shutDown(): Promise<void> {
		await this.#settle(maxShutdownMs, 1);
		await this.#release();
	}

	async #end(reason: EndReason): Promise<void> {
		const steps = this.#steps;
		const graceMs = this.#chooseGraceMs(reason);
		steps.stopInput();
		await this.#settle(graceMs, 0);
		try {
			await this.#release();
		} catch (error) {
			this.#hasReleaseFailed = true;
			const problem = error instanceof Error ? error.stack : String(error);
			steps.logger.error(`could not end in an orderly way: ${problem}`);
		}
		await finishesWithin(Promise.race([steps.waitUntilFlushed(), this.#waitEnd]), graceMs);
		await finishesWithin(steps.waitUntilFlushed(), maxFinishMs);
		steps.close();
		// Computed only now, because a `shutdown` before `exit` may have waited in the queue until now.
		this.#resolveExitCode(
			this.#hasReleaseFailed ? 1 : Math.max(...this.#reasons.map((one) => this.#chooseExitCode(one))),
		);
	}

	async #settle(grace: number, remaining: number): Promise<void> {
		const { drain, logger } = this.#steps;
		await finishesWithin(Promise.race([drain.waitUntilSettled(remaining), this.#waitEnd]), grace);
		if (drain.unfinishedCount <= remaining) return;
		this.#cancelRunning(grace);
		if (await finishesWithin(drain.waitUntilSettled(remaining), maxFinishMs)) return;
		logger.warn('some requests did not stop when they were cancelled');
	}

	/** Cancels running requests. Logs them, because the result of `shutdown` is always null. */
	#cancelRunning(grace: number): void {
		const { listUnanswered, runningRequests, logger } = this.#steps;
		const cancelledRequests = listUnanswered().filter(({ method }) => method !== shutdown.method);
		if (cancelledRequests.length > 0 && !this.#hasCancelled) {
			logger.warn(
				`cancelled after ${grace / 1_000} s, because the daemon is stopping: ${listRequests(cancelledRequests)}`,
			);
		}
		this.#hasCancelled = true;
		for (const controller of runningRequests.keys()) controller.abort();
	}

	#release(): Promise<void> {
		this.#releasing ??= Promise.resolve().then(() => this.#steps.release());
		return this.#releasing;
	}

	/** Returns the milliseconds until running requests are cancelled; `exit` does not shorten the wait of a `shutdown`. */
	#chooseGraceMs(reason: EndReason): number {
		return reason === 'exit' && this.#steps.lifecycle.phase === 'shutdown'
			? maxShutdownMs
			: graceMsByReason[reason];
	}

	#chooseExitCode(reason: EndReason): number {
		if (reason === 'broken') return 1;
		if (reason === 'ended' || reason === 'stopped') return 0;
		return this.#steps.lifecycle.phase === 'shutdown' ? 0 : 1;
	}
}

function listRequests(requests: readonly UnansweredRequest[]): string {
	const names = requests
		.slice(0, maxNamedRequests)
		.map(({ id, method }) => `${describeReceived(method)} (id ${describeReceived(id)})`);
	const unnamedCount = requests.length - names.length;
	return unnamedCount > 0 ? `${names.join(', ')} and ${unnamedCount} more` : names.join(', ');
}

/**
 * Waits for `task`, at most `limitMs` milliseconds; returns whether it finished by then.
 *
 * The task continues in any case. Rejects if the task rejects in time.
 */
async function finishesWithin(task: Promise<unknown>, limitMs: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), limitMs);
	});
	try {
		return await Promise.race([task.then(() => true), tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
