/** Finds and describes compacted copies of a session. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import { formatAgo } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { formatCompactionChange } from '../usage/windowChange.ts';

/** Returns the newest compacted copy of a transcript; undefined if there is none. */
export function findNewestCopy(transcripts: readonly Transcript[], original: string): Transcript | undefined {
	const copies = transcripts.filter(({ copyOf }) => copyOf === original);
	return copies.sort((a, b) => getCreationTime(b) - getCreationTime(a))[0];
}

/** Returns when a copy was created, in milliseconds since the epoch: the time of its first message. */
function getCreationTime({ startedAt, updatedAt }: Transcript): number {
	return startedAt ?? updatedAt;
}

/**
 * Returns a text about an existing copy: its age, and whether its original has continued since. Times are in milliseconds
 * since the epoch.
 */
export function describeExistingCopy(
	copy: Transcript,
	{ activeAt, now }: { activeAt: number; now: number },
): string {
	const createdAt = getCreationTime(copy);
	const existsText = t('This session has a compacted copy already, created {0}.', formatAgo(now - createdAt));
	return activeAt > createdAt ? `${existsText} ${t('The session has continued since.')}` : existsText;
}

/**
 * Returns a text about a new copy, with the window before and after the compaction; with only the history's tokens if no
 * stats are known.
 */
export function describeNewCopy(compaction: CompactResult, stats: ContextStats | undefined): string {
	if (!compaction.compacted) return t('Created a copy of the session; there was nothing to compact.');
	return t('Created a compacted copy of the session: {0}.', formatCompactionChange(stats, compaction));
}
