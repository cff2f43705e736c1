/** What was read of open sessions for their compactions, and how much of it is kept. */

import { createRowColumns, type RowColumns } from '../core/compact/rowColumns.ts';
import { emptyReading, type Reading } from '../core/compact/thread/reading.ts';
import { workLimits } from '../core/compact/tuning.ts';

/** Keeps what was read of one session, from one compaction to the next. */
export interface ReadingKeeper {
	reading?: Reading;
	/** What compactions ask of every row. */
	columns: RowColumns;
	/** Whether a compaction works with it now. */
	inUse: boolean;
	/** The keepers of all open sessions, this one among them once it has read; the one used last at the end. */
	readonly beside: Set<ReadingKeeper>;
}

/** Text whose analysis is kept for all sessions together. UTF-16 units. */
const maxKeptLength = 3.2 * workLimits.maxCachedLength;

/** A keeper that has read nothing. */
export function createReadingKeeper(beside: Set<ReadingKeeper> = new Set()): ReadingKeeper {
	return { inUse: false, beside, columns: createRowColumns() };
}

/** What a keeper has read; where that is too much, nothing. */
export function readingOf(keeper: ReadingKeeper): Reading {
	if (!keeper.reading || keeper.reading.chars > workLimits.maxCachedLength) keeper.reading = emptyReading();
	return keeper.reading;
}

/** Lets go what was read of a session. */
export function dropReading(keeper: ReadingKeeper): void {
	keeper.reading = undefined;
	keeper.columns = createRowColumns();
	keeper.beside.delete(keeper);
}

/** To be called after something was read: where all sessions keep too much, those that were used least lately let go. */
export function keepWithin(keeper: ReadingKeeper, most = maxKeptLength): void {
	const { beside } = keeper;
	beside.delete(keeper);
	// The session may have gone meanwhile, and what was read of it too.
	if (!keeper.reading) return;
	beside.add(keeper);
	let chars = 0;
	for (const { reading } of beside) chars += reading?.chars ?? 0;
	for (const other of beside) {
		if (chars <= most || other === keeper) return;
		chars -= other.reading?.chars ?? 0;
		dropReading(other);
	}
}

/**
 * Runs a compaction with what was read of its session. One that comes beside another, as a preview may, reads for
 * itself: nothing may be added to what the other works with.
 */
export async function withReading<T>(
	keeper: ReadingKeeper,
	work: (reading: Reading) => Promise<T>,
): Promise<T> {
	if (keeper.inUse) return work(emptyReading());
	keeper.inUse = true;
	try {
		return await work(readingOf(keeper));
	} finally {
		keeper.inUse = false;
		keepWithin(keeper);
	}
}
