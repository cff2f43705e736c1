/**
 * Gives a function that runs work at most so many at a time, the rest in the order in which it came, so that
 * thousands of files do not need thousands of descriptors.
 */
export function inTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
	let running = 0;
	const waiting: (() => void)[] = [];
	let next = 0;

	async function turn(): Promise<void> {
		if (running < atOnce) {
			running += 1;
			return;
		}
		await new Promise<void>((resolve) => waiting.push(resolve));
	}

	function pass(): void {
		const follower = waiting[next];
		if (follower === undefined) {
			running -= 1;
			return;
		}
		next += 1;
		if (next === waiting.length) {
			waiting.length = 0;
			next = 0;
		}
		follower();
	}

	return async (work) => {
		await turn();
		try {
			return await work();
		} finally {
			pass();
		}
	};
}
