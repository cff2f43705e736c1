/**
 * Waits for `work`, but no longer than `limit` ms; gives whether the work was done by then. The work goes on
 * all the same; its rejection is passed on if it comes in time.
 */
export async function finishedWithin(work: Promise<unknown>, limit: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), limit);
	});
	try {
		return await Promise.race([work.then(() => true), tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
