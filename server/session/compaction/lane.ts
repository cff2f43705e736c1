/** One compaction at a time in a session: whoever comes while one runs waits for it. */

import { Failure } from '../../core/failure.ts';
import type { Logger } from '../ports.ts';

/** How long something may take in a lane. Milliseconds. */
export interface LaneLimits {
	/** A wait longer than this is told to whoever waits. */
	quietWait: number;
	/** Work that takes longer is called off. */
	turn: number;
	/** Work that was called off and has not ended by then is given up: the lane goes on without it. */
	grace: number;
}

const defaultLimits: LaneLimits = { quietWait: 2_000, turn: 600_000, grace: 5_000 };

/** What a lane has to know of those who come. */
export interface Visit {
	/** Called off while it waits, work never starts and rejects at once; once it runs, it answers for itself. */
	signal: AbortSignal;
	/** Told once where the wait grows long. What it throws is logged: the work is none the worse for it. */
	onWait(): void;
	log: Pick<Logger, 'warn'>;
	limits?: LaneLimits;
}

interface Lane {
	/** Resolves when all that was asked for so far is done or given up. */
	free: Promise<void>;
	/** Those who wait or run, each with the way to turn it away. */
	visits: Set<(reason: Error) => void>;
	closed?: Error;
}

const lanes = new WeakMap<object, Lane>();

/** By the signal that a work was given: the lanes that it and the works around it are in. */
const heldLanes = new WeakMap<AbortSignal, readonly object[]>();

function laneOf(owner: object): Lane {
	const known = lanes.get(owner);
	if (known) return known;
	const lane: Lane = { free: Promise.resolve(), visits: new Set() };
	lanes.set(owner, lane);
	return lane;
}

/** Whether a signal is that of work in this lane, which must not wait for it. */
export function isInLane(owner: object, signal: AbortSignal): boolean {
	return heldLanes.get(signal)?.includes(owner) ?? false;
}

/**
 * Runs work once all that was asked for before in the lane of `owner`, mostly a session, is done. The work is given
 * a signal: aborted where it takes too long or the lane is closed, and to be handed on to all that it asks for. By
 * it work is known that comes again into a lane that it is in: it goes ahead at once, instead of waiting for itself.
 */
export function inLane<T>(
	owner: object,
	visit: Visit,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const { signal } = visit;
	if (isInLane(owner, signal)) return work(signal);
	const lane = laneOf(owner);
	if (lane.closed) return Promise.reject(lane.closed);
	const limits = visit.limits ?? defaultLimits;
	const controller = new AbortController();
	heldLanes.set(controller.signal, [...(heldLanes.get(signal) ?? []), owner]);
	return new Promise<T>((resolve, reject) => {
		const turnAway = (reason: Error): void => {
			controller.abort(reason);
			leave();
			reject(reason);
		};
		const callOff = (): void => turnAway(signal.reason);
		const patience = setTimeout(() => tellOfWait(visit), limits.quietWait);
		const leave = (): void => {
			clearTimeout(patience);
			signal.removeEventListener('abort', callOff);
			lane.visits.delete(turnAway);
		};
		if (signal.aborted) return callOff();
		signal.addEventListener('abort', callOff, { once: true });
		lane.visits.add(turnAway);
		lane.free = lane.free.then(async () => {
			if (controller.signal.aborted) return;
			leave();
			// From here on it answers for itself, whoever calls it off.
			const stop = (reason: Error): void => controller.abort(reason);
			const pass = (): void => stop(signal.reason);
			lane.visits.add(stop);
			signal.addEventListener('abort', pass, { once: true });
			await within(limits, controller, work).then(resolve, reject);
			signal.removeEventListener('abort', pass);
			lane.visits.delete(stop);
		});
	});
}

function tellOfWait({ onWait, log }: Visit): void {
	try {
		onWait();
	} catch (error) {
		log.warn(`whoever waits for a compaction could not be told: ${error}`);
	}
}

/** Runs work for as long as it may take. */
async function within<T>(
	{ turn, grace }: LaneLimits,
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
			controller.abort(new Failure('SummarizerFailed', reason));
		}, turn);
	});
	try {
		return await Promise.race([work(controller.signal), givenUp]);
	} finally {
		clearTimeout(timer);
	}
}

/** Turns away whoever waits in a lane or comes later, and calls off what runs. */
export function closeLane(owner: object, reason: Error): void {
	const lane = laneOf(owner);
	lane.closed ??= reason;
	for (const turnAway of [...lane.visits]) turnAway(reason);
}
