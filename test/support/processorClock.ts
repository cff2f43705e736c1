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

/** Processor milliseconds of `referenceWork` on the idle core on which the limits in tests were chosen. */
const referenceMs = 3;

/** Does a fixed amount of the work that tests measure: parses, searches and joins text. */
function referenceWork(): number {
	const line = JSON.stringify({
		path: 'src/a.ts',
		rows: Array.from({ length: 200 }, (_, index) => `row ${index}`),
	});
	let length = 0;
	for (let turn = 0; turn < 200; turn++) {
		const { rows } = JSON.parse(line) as { rows: string[] };
		length += rows.join('\n').replace(/\d+/g, '').length;
	}
	return length;
}

/**
 * Returns how many times slower than usual this machine is at the moment, at least 1. A limit in milliseconds is
 * multiplied by it, so that no test depends on a fast or idle machine.
 */
export function machineSlowness(): number {
	const times = Array.from({ length: 5 }, () => {
		const spent = processorClock();
		referenceWork();
		return spent();
	});
	return Math.max(1, times.toSorted((a, b) => a - b)[2]! / referenceMs);
}

/** Maximum `costGrowth` of linear work. */
export const maxLinearGrowth = 24;

/**
 * Returns how many times the processor time of some work grows if its count becomes 8 times as large. Linear work grows
 * 8 times, quadratic work 64 times. The best of five runs counts, because any run may include a compilation or a
 * garbage collection. Less than 10 ms count as 10 ms.
 */
export function costGrowth(count: number, work: (count: number) => unknown): number {
	const best = (units: number): number =>
		Math.min(
			...Array.from({ length: 5 }, () => {
				const spent = processorClock();
				work(units);
				return spent();
			}),
		);
	const small = Math.max(10, best(count));
	return best(count * 8) / small;
}
