import type { Slices } from '../core/slices.ts';
import type { World } from './world.ts';

/** Runs a work in slices, between which others can work. Rejects where the signal is aborted meanwhile. */
export async function inSlices<T>(
	work: Slices<T>,
	{ pause }: Pick<World, 'pause'>,
	signal?: AbortSignal,
): Promise<T> {
	let slice = work.next();
	for (; !slice.done; slice = work.next()) {
		await pause();
		signal?.throwIfAborted();
	}
	return slice.value;
}
