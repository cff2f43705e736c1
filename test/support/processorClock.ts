/**
 * Starts a clock of this process's processor time; returns a function that reads it, in milliseconds. On a busy machine,
 * any other clock would include the work of other processes.
 */
export function processorClock(): () => number {
	const started = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(started);
		return (user + system) / 1000;
	};
}
