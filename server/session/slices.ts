import type { Slices } from '../core/slices.ts';
import type { World } from './world.ts';

/** Runs a task in slices, between which other tasks get a turn. */
export async function inSlices<T>(work: Slices<T>, { pause }: Pick<World, 'pause'>): Promise<T> {
	let slice = work.next();
	for (; !slice.done; slice = work.next()) await pause();
	return slice.value;
}
