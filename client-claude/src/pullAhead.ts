/**
 * Passes on a stream, and has asked for its next item before the present one is taken: between a mod and Claude Code each
 * item is two messages, and a request of a few items takes 3 ms less this way (2.1.330).
 */
export async function* pullAhead<Item, Result>(
	stream: AsyncGenerator<Item, Result>,
): AsyncGenerator<Item, Result> {
	let isDone = false;
	try {
		let pulled = stream.next();
		for (;;) {
			const item = await pulled;
			if (item.done) {
				isDone = true;
				return item.value;
			}
			pulled = stream.next();
			// A failure counts when its turn comes.
			pulled.catch(() => {});
			yield item.value;
		}
	} catch (error) {
		isDone = true;
		throw error;
	} finally {
		if (!isDone) await stream.return(undefined as Result);
	}
}
