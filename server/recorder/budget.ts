/** Removes recordings that exceed the limits of size and age. */

import { statSync } from 'node:fs';
import { splitDatabasePath } from '../node/transcript/sessionDatabase.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';
import type { Archive } from './archive/archive.ts';
import type { Recording } from './archive/recording.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** A recording is removed once it has been too old for this many milliseconds, because the clock may be wrong for a while. */
const graceMs = 7 * dayMs;

/**
 * Removes the oldest unpinned recordings until the archive is small enough, and all unpinned ones that have been too old for a
 * week. Returns the removed recordings. The newest recording stays, even if it is too large.
 * @param now milliseconds since the epoch; if absent, ages are not checked
 */
export function enforceBudget(
	archive: Archive,
	{ maxBytes, maxDays }: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>,
	now?: number,
): Recording[] {
	const removed: Recording[] = [];
	let isTooLarge = archive.countUsedBytes() > maxBytes;
	if (!isTooLarge && now === undefined) return removed;
	const oldestFirst = listRemovable(archive);
	const tooOld = oldestFirst.filter(({ updatedAt }) => (now ?? updatedAt) - updatedAt > maxDays * dayMs);
	const overdue = now === undefined ? new Set() : updateOverdueIds(archive, tooOld, now);
	for (const recording of oldestFirst) {
		if (!overdue.has(recording.recordingId) && !isTooLarge) continue;
		archive.evict(recording.recordingId, readKnownSize(archive, recording));
		isTooLarge = archive.countUsedBytes() > maxBytes;
		removed.push(recording);
	}
	return removed;
}

/** Returns the unpinned recordings without the newest recording, oldest first. */
function listRemovable(archive: Archive): Recording[] {
	const [, ...olderRecordings] = archive.listRecordings();
	return olderRecordings.filter(({ pinned }) => !pinned).reverse();
}

/** Returns the ids of recordings that have been too old for a week; `tooOld` lists all that are too old now. */
function updateOverdueIds(archive: Archive, tooOld: readonly Recording[], now: number): Set<string> {
	const since = archive.updateOverdue(
		tooOld.map(({ recordingId }) => recordingId),
		now,
	);
	return new Set(Array.from(since).flatMap(([id, first]) => (now - first >= graceMs ? [id] : [])));
}

/** Removes the oldest unpinned recording, but never the newest recording. Returns the removed one. */
export function removeOldestRecording(archive: Archive): Recording | undefined {
	const [oldest] = listRemovable(archive);
	if (oldest) archive.evict(oldest.recordingId, readKnownSize(archive, oldest));
	return oldest;
}

/** Returns the size of a transcript in bytes; for a session in a database, the time of its last change. */
function readKnownSize(archive: Archive, { recordingId, path, updatedAt }: Recording): number {
	if (splitDatabasePath(path)) return Number(archive.readPosition(recordingId) ?? updatedAt);
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
