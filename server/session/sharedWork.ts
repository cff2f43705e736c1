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
