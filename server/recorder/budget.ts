/** Removes recordings that exceed the limits. */

import { statSync } from 'node:fs';
import { splitDatabasePath } from '../node/transcript/sessionDatabase.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';
import type { Archive } from './archive/archive.ts';
import type { Recording } from './archive/recording.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Milliseconds that a recording must stay too old before it is removed, in case the clock is wrong for a while. */
const graceMs = 7 * dayMs;

/**
 * Removes the oldest recordings that are not pinned while the archive has too many bytes, and all that have been too old for
 * a week. Returns what was removed. The newest recording stays, however large it is.
 * @param now milliseconds since the epoch; absent: no recording is too old
 */
export function enforceBudget(
	archive: Archive,
	{ maxBytes, maxDays }: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>,
	now?: number,
): Recording[] {
	const removed: Recording[] = [];
	let isTooLarge = archive.usedBytes() > maxBytes;
	if (!isTooLarge && now === undefined) return removed;
	const oldestFirst = archive
		.recordings()
		.slice(1)
		.filter(({ pinned }) => !pinned)
		.reverse();
	const tooOld = oldestFirst.filter(({ updatedAt }) => (now ?? updatedAt) - updatedAt > maxDays * dayMs);
	const overdue = now === undefined ? new Set() : overdueIds(archive, tooOld, now);
	for (const recording of oldestFirst) {
		if (!overdue.has(recording.recordingId) && !isTooLarge) continue;
		archive.evict(recording.recordingId, knownSizeOf(archive, recording));
		isTooLarge = archive.usedBytes() > maxBytes;
		removed.push(recording);
	}
	return removed;
}

/** Returns the ids of the recordings that have been too old for a week; `tooOld` are all that are too old now. */
function overdueIds(archive: Archive, tooOld: readonly Recording[], now: number): Set<string> {
	const since = archive.updateOverdue(
		tooOld.map(({ recordingId }) => recordingId),
		now,
	);
	return new Set(Array.from(since).flatMap(([id, first]) => (now - first >= graceMs ? [id] : [])));
}

/** Removes the oldest recording that is not pinned, if another remains. Returns what was removed. */
export function removeOldest(archive: Archive): Recording | undefined {
	const oldest = archive
		.recordings()
		.slice(1)
		.findLast(({ pinned }) => !pinned);
	if (oldest) archive.evict(oldest.recordingId, knownSizeOf(archive, oldest));
	return oldest;
}

/** Returns the size beyond which a transcript is recorded again; for a session in a database, its time of change. */
function knownSizeOf(archive: Archive, { recordingId, path, updatedAt }: Recording): number {
	if (splitDatabasePath(path)) return Number(archive.positionOf(recordingId) ?? updatedAt);
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
