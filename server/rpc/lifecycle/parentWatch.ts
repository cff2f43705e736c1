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
}

const pollMs = 3000;

/**
 * Watches the client's process; returns a function that stops the watch.
 *
 * The input does not end with the client if another process holds the pipe open. A process that is not visible at the
 * start (the client may run in another container) is not watched.
 */
export function watchParent(options: ParentWatchOptions): () => void {
	const { processId, onGone, isAlive = isProcessAlive } = options;
	if (!Number.isSafeInteger(processId) || processId <= 0 || !isAlive(processId)) return () => {};
	const timer = setInterval(() => {
		if (isAlive(processId)) return;
		clearInterval(timer);
		onGone();
	}, pollMs);
	timer.unref();
	return () => clearInterval(timer);
}
