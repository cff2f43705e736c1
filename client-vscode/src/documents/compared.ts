/** The compaction that the right document of a comparison shows. */

import type { Address } from './documents.ts';

/** A past compaction that a comparison shows. */
export interface ComparedCompaction {
	sessionId: string;
	compactionId: string;
}

/** Returns the compaction whose changes a document shows; undefined for any other document. */
export function comparedCompaction(uri: { scheme: string; query: string }): ComparedCompaction | undefined {
	if (uri.scheme !== 'contextd') return undefined;
	const { sessionId, compactionId } = JSON.parse(uri.query) as Address;
	return compactionId === undefined ? undefined : { sessionId, compactionId };
}
