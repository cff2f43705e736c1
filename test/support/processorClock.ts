/**
 * Starts a clock of this process's processor time; returns a function for the milliseconds since then. On a busy machine any
 * other clock counts what other processes did.
 */
export function processorClock(): () => number {
	const started = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(started);
		return (user + system) / 1000;
	};
}
