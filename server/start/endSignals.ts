/** Signals by which the system or a user ends a process. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls a function at each signal that would end the process. Returns a function that restores the usual end. */
export function onEndSignal(end: () => void): () => void {
	for (const signal of endSignals) process.on(signal, end);
	return () => {
		for (const signal of endSignals) process.off(signal, end);
	};
}
