import { errorCode } from '../../core/failure.ts';

/** Whether a process exists; only "no such process" means that it does not. */
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
	/** Calls back every so many ms until the function it gives is called. */
	every?(callback: () => void, ms: number): () => void;
}

const pollMs = 3000;

function everyUnreferenced(callback: () => void, ms: number): () => void {
	const timer = setInterval(callback, ms);
	timer.unref();
	return () => clearInterval(timer);
}

/**
 * Watches the client's process: where another process holds the pipe open, its death gives no end of input.
 * A process that cannot be seen at the start (the client may live in another container) is not watched.
 * Gives the function that ends the watch.
 */
export function watchParent(options: ParentWatchOptions): () => void {
	const { processId, onGone, isAlive = isProcessAlive, every = everyUnreferenced } = options;
	if (!Number.isSafeInteger(processId) || processId <= 0 || !isAlive(processId)) return () => {};
	const stop = every(() => {
		if (isAlive(processId)) return;
		stop();
		onGone();
	}, pollMs);
	return stop;
}
