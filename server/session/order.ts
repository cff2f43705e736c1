/** Queues for a session's tasks: a mutex, a lane for calls, and tasks shared by several callers. */

import { Failure } from '../core/failure.ts';

/** Time limits of a mutex. */
export interface MutexLimits {
	/** Milliseconds in the queue after which the caller is notified that its task waits. */
	quietWaitMs: number;
	/** Milliseconds after which a running task is cancelled. */
	maxTurnMs: number;
	/** Milliseconds after which a cancelled task that still runs is abandoned, and the next task starts. */
	graceMs: number;
}

const defaultLimits: MutexLimits = { quietWaitMs: 2_000, maxTurnMs: 600_000, graceMs: 5_000 };

/** The caller's side of a queued task. */
export interface MutexTicket {
	/** If aborted while the task is queued, `run` rejects at once. If aborted while it runs, the task must end itself. */
	signal: AbortSignal;
	/** Called once if the task is queued for long; must not throw. */
	onWait(): void;
}

/** Runs one task at a time, in the order of the calls. */
export interface Mutex {
	/**
	 * Runs a task when all earlier ones are done.
	 *
	 * The task must pass its signal on to everything it calls. The signal is aborted if the task takes too long, if the
	 * mutex is closed, or if the ticket's signal is aborted.
	 */
	run<T>(ticket: MutexTicket, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
	/** Rejects queued and later tasks, and cancels the running task. */
	close(reason: Error): void;
}

/** Creates an unlocked mutex. A task that runs another task on the same mutex blocks itself until it is cancelled. */
export function createMutex(limits: MutexLimits = defaultLimits): Mutex {
	/** Resolves when all earlier tasks are done or abandoned. */
	let previousTasks: Promise<void> = Promise.resolve();
	/** One function for each queued or running task, which cancels it. */
	const cancelers = new Set<(reason: Error) => void>();
	let closeReason: Error | undefined;

	function run<T>(ticket: MutexTicket, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
		if (closeReason) return Promise.reject(closeReason);
		const { signal } = ticket;
		const controller = new AbortController();
		return new Promise<T>((resolve, reject) => {
			const rejectWaiter = (reason: Error): void => {
				controller.abort(reason);
				stopWaiting();
				reject(reason);
			};
			const cancel = (): void => rejectWaiter(signal.reason);
			const waitTimer = setTimeout(() => ticket.onWait(), limits.quietWaitMs);
			const stopWaiting = (): void => {
				clearTimeout(waitTimer);
				signal.removeEventListener('abort', cancel);
				cancelers.delete(rejectWaiter);
			};
			if (signal.aborted) return cancel();
			signal.addEventListener('abort', cancel, { once: true });
			cancelers.add(rejectWaiter);
			previousTasks = previousTasks.then(async () => {
				if (controller.signal.aborted) return;
				stopWaiting();
				// Once it runs, the task itself decides how to end after a cancellation.
				const stop = (reason: Error): void => controller.abort(reason);
				const forwardAbort = (): void => stop(signal.reason);
				cancelers.add(stop);
				signal.addEventListener('abort', forwardAbort, { once: true });
				await runWithTimeout(limits, controller, task).then(resolve, reject);
				signal.removeEventListener('abort', forwardAbort);
				cancelers.delete(stop);
			});
		});
	}

	return {
		run,
		close(reason) {
			closeReason ??= reason;
			for (const stop of [...cancelers]) stop(reason);
		},
	};
}

/** Runs a task and cancels it after its time limit. */
async function runWithTimeout<T>(
	{ maxTurnMs, graceMs }: MutexLimits,
	controller: AbortController,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const deadline = new Promise<never>((_, reject) => {
		const startGracePeriod = (): void => {
			clearTimeout(timer);
			timer = setTimeout(() => reject(controller.signal.reason), graceMs);
		};
		controller.signal.addEventListener('abort', startGracePeriod, { once: true });
		timer = setTimeout(() => {
			const reason = `the compaction took longer than ${Math.round(maxTurnMs / 1000)} s and was cancelled`;
			controller.abort(new Failure('CompactionFailed', reason));
		}, maxTurnMs);
	});
	try {
		return await Promise.race([task(controller.signal), deadline]);
	} finally {
		clearTimeout(timer);
	}
}

/** Lets a call delay later calls for the same session. */
export interface CallLane {
	/** Delays later calls until `release`, or until this call is done. Must be called before its first `await`. */
	hold(): void;
	release(): void;
}

/** Creates the lane of one call. `whenReleased` resolves after `release`, and is undefined if the lane was never held. */
export function createLane(): CallLane & { readonly whenReleased: Promise<void> | undefined } {
	let release: () => void = () => undefined;
	const lane = {
		whenReleased: undefined as Promise<void> | undefined,
		hold() {
			lane.whenReleased ??= new Promise((resolve) => {
				release = resolve;
			});
		},
		release: () => release(),
	};
	return lane;
}

/** A task that several callers wait for; it is cancelled when all of them have cancelled. */
export interface SharedTask<T> {
	result: Promise<T>;
	/** Waits for the result, until the signal is aborted. */
	join(signal: AbortSignal): Promise<T>;
}

/** Starts a task that callers can join. */
export function startSharedTask<T>(task: (signal: AbortSignal) => Promise<T>): SharedTask<T> {
	const controller = new AbortController();
	const result = task(controller.signal);
	let callers = 0;
	const join = (signal: AbortSignal): Promise<T> => {
		callers++;
		return new Promise((resolve, reject) => {
			const leave = (): void => {
				callers--;
				// The last caller waits for the task's end, because what the task has already written cannot be cancelled.
				if (callers === 0) controller.abort(signal.reason);
				else reject(signal.reason);
			};
			signal.addEventListener('abort', leave, { once: true });
			result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
		});
	};
	return { result, join };
}
