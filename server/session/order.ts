/** How works of a session wait for one another: one at a time, in order of arrival, several for one result. */

import { Failure } from '../core/failure.ts';
import type { Logger } from './ports.ts';

/** How long something may take. Milliseconds. */
export interface MutexLimits {
	/** A wait longer than this is told to whoever waits. */
	quietWait: number;
	/** Work that takes longer is called off. */
	turn: number;
	/** Work that was called off and has not ended by then is given up: the next one starts without it. */
	grace: number;
}

const defaultLimits: MutexLimits = { quietWait: 2_000, turn: 600_000, grace: 5_000 };

/** What a mutex has to know of those who come. */
export interface Ticket {
	/** Called off while it waits, work never starts and rejects at once; once it runs, it answers for itself. */
	signal: AbortSignal;
	/** Told once where the wait grows long. What it throws is logged: the work is none the worse for it. */
	onWait(): void;
	log: Pick<Logger, 'warn'>;
}

/** One work at a time: whoever comes while one runs waits for it. */
export interface Mutex {
	/**
	 * Runs work once all that was asked for before is done. The work is given a signal, to be handed on to all that it
	 * asks for: aborted where it takes too long, the mutex is closed, or the ticket's own signal is.
	 */
	run<T>(ticket: Ticket, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
	/** Turns away whoever waits or comes later, and calls off what runs. */
	close(reason: Error): void;
}

/** A mutex in which nobody is yet. Work that asks for the mutex that it holds waits for itself, until its time is up. */
export function createMutex(limits: MutexLimits = defaultLimits): Mutex {
	/** Resolves when all that was asked for so far is done or given up. */
	let free: Promise<void> = Promise.resolve();
	/** Of those who wait or run, each with the way to turn it away. */
	const present = new Set<(reason: Error) => void>();
	let closed: Error | undefined;

	function run<T>(ticket: Ticket, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
		if (closed) return Promise.reject(closed);
		const { signal } = ticket;
		const controller = new AbortController();
		return new Promise<T>((resolve, reject) => {
			const turnAway = (reason: Error): void => {
				controller.abort(reason);
				leave();
				reject(reason);
			};
			const callOff = (): void => turnAway(signal.reason);
			const patience = setTimeout(() => tellOfWait(ticket), limits.quietWait);
			const leave = (): void => {
				clearTimeout(patience);
				signal.removeEventListener('abort', callOff);
				present.delete(turnAway);
			};
			if (signal.aborted) return callOff();
			signal.addEventListener('abort', callOff, { once: true });
			present.add(turnAway);
			free = free.then(async () => {
				if (controller.signal.aborted) return;
				leave();
				// From here on it answers for itself, whoever calls it off.
				const stop = (reason: Error): void => controller.abort(reason);
				const pass = (): void => stop(signal.reason);
				present.add(stop);
				signal.addEventListener('abort', pass, { once: true });
				await within(limits, controller, work).then(resolve, reject);
				signal.removeEventListener('abort', pass);
				present.delete(stop);
			});
		});
	}

	return {
		run,
		close(reason) {
			closed ??= reason;
			for (const turnAway of [...present]) turnAway(reason);
		},
	};
}

function tellOfWait({ onWait, log }: Ticket): void {
	try {
		onWait();
	} catch (error) {
		log.warn(`whoever waits for a compaction could not be told: ${error}`);
	}
}

/** Runs work for as long as it may take. */
async function within<T>(
	{ turn, grace }: MutexLimits,
	controller: AbortController,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const givenUp = new Promise<never>((_, reject) => {
		const giveUp = (): void => {
			clearTimeout(timer);
			timer = setTimeout(() => reject(controller.signal.reason), grace);
		};
		controller.signal.addEventListener('abort', giveUp, { once: true });
		timer = setTimeout(() => {
			const reason = `the compaction took longer than ${Math.round(turn / 1000)} s and was called off`;
			controller.abort(new Failure('CompactionFailed', reason));
		}, turn);
	});
	try {
		return await Promise.race([work(controller.signal), givenUp]);
	} finally {
		clearTimeout(timer);
	}
}

/** The order of calls for one session, as a call can hold it up. */
export interface Lane {
	/** Called before the first wait: the calls behind start only after `release`, or when this one is done. */
	hold(): void;
	release(): void;
}

/** The lane of one call. `held` resolves when it is released; undefined where it was never held. */
export function createLane(): Lane & { readonly held: Promise<void> | undefined } {
	let free: () => void = () => undefined;
	const lane = {
		held: undefined as Promise<void> | undefined,
		hold() {
			lane.held ??= new Promise((resolve) => {
				free = resolve;
			});
		},
		release: () => free(),
	};
	return lane;
}

/** Work that several callers wait for: it is called off when all of them have called it off. */
export interface SharedWork<T> {
	result: Promise<T>;
	/** Waits for the result, until the signal is aborted. */
	join(signal: AbortSignal): Promise<T>;
}

/** Starts work that nobody waits for yet. */
export function share<T>(work: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
	const controller = new AbortController();
	const result = work(controller.signal);
	let callers = 0;
	const join = (signal: AbortSignal): Promise<T> => {
		callers++;
		return new Promise((resolve, reject) => {
			const leave = (): void => {
				callers--;
				// The last one is told how it ended: what is written already cannot be called off any more.
				if (callers === 0) controller.abort(signal.reason);
				else reject(signal.reason);
			};
			signal.addEventListener('abort', leave, { once: true });
			result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
		});
	};
	return { result, join };
}
