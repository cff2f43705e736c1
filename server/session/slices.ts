import type { SlicedTask } from '../core/slices.ts';
import type { SessionServices } from './services.ts';

/** Runs a task in slices, between which other tasks get a turn. */
export async function runInSlices<T>(
	work: SlicedTask<T>,
	{ pause }: Pick<SessionServices, 'pause'>,
): Promise<T> {
	let slice = work.next();
	for (; !slice.done; slice = work.next()) await pause();
	return slice.value;
}
