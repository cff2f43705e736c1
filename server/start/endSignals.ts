/** Signals with which the system or a user ends a process. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls a function at each signal that ends processes. Returns a function that stops this. */
export function listenForEndSignals(onEnd: () => void): () => void {
	for (const signal of endSignals) process.on(signal, onEnd);
	return () => {
		for (const signal of endSignals) process.off(signal, onEnd);
	};
}
