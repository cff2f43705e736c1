/** Removes recordings that exceed the limits. */

import { statSync } from 'node:fs';
import { splitDatabasePath } from '../node/transcript/sessionDatabase.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';
import type { Archive } from './archive/archive.ts';
import type { Recording } from './archive/recording.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Removes the oldest recordings that are not pinned while the archive has too many bytes, and all that are too old.
 * Returns what was removed. The newest recording stays, however large it is.
 * @param now milliseconds since the epoch; absent: no recording is too old
 */
export function enforceBudget(
	archive: Archive,
	{ maxBytes, maxDays }: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>,
	now?: number,
): Recording[] {
	const removed: Recording[] = [];
	for (const recording of archive.recordings().slice(1).reverse()) {
		const isTooOld = now !== undefined && now - recording.updatedAt > maxDays * dayMs;
		if (recording.pinned || (!isTooOld && archive.usedBytes() <= maxBytes)) continue;
		archive.evict(recording.recordingId, knownBytesOf(recording.path));
		removed.push(recording);
	}
	return removed;
}

/** Removes the oldest recording that is not pinned, if another remains. Returns what was removed. */
export function removeOldest(archive: Archive): Recording | undefined {
	const oldest = archive
		.recordings()
		.slice(1)
		.findLast(({ pinned }) => !pinned);
	if (oldest) archive.evict(oldest.recordingId, knownBytesOf(oldest.path));
	return oldest;
}

/** Size of a transcript beyond which it is recorded again; sessions of databases have times instead. */
function knownBytesOf(path: string): number {
	if (splitDatabasePath(path)) return Date.now();
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
