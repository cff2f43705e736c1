import { errorCode } from '../../core/failure.ts';

/** Returns whether a process exists; any error other than "no such process" counts as existing. */
export function isProcessAlive(processId: number): boolean {
	try {
		process.kill(processId, 0);
		return true;
	} catch (error) {
		return errorCode(error) !== 'ESRCH';
	}
}

export interface ParentWatchOptions {
	processId: number;
	onGone(): void;
	isAlive?(processId: number): boolean;
	/** Calls `callback` every `ms` milliseconds; returns a function that stops this. By default, a timer. */
	setRepeating?(callback: () => void, ms: number): () => void;
}

const pollMs = 3000;

function setBackgroundInterval(callback: () => void, ms: number): () => void {
	const timer = setInterval(callback, ms);
	timer.unref();
	return () => clearInterval(timer);
}

/**
 * Watches the client's process; returns a function that stops the watch.
 *
 * The input does not end with the client if another process holds the pipe open. A process that is not visible at the
 * start (the client may run in another container) is not watched.
 */
export function watchParent(options: ParentWatchOptions): () => void {
	const { processId, onGone, isAlive = isProcessAlive, setRepeating = setBackgroundInterval } = options;
	if (!Number.isSafeInteger(processId) || processId <= 0 || !isAlive(processId)) return () => {};
	const stop = setRepeating(() => {
		if (isAlive(processId)) return;
		stop();
		onGone();
	}, pollMs);
	return stop;
}
