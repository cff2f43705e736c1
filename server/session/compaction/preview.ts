/** A compaction tried out on a copy: what it would do, and the history that it would leave. */

import type { CompactResult } from '../../protocol/compact.ts';
import type { Session } from '../session.ts';
import { type CompactOrder, compactSession, type Watcher } from './request.ts';
import { scratchCopy } from './scratchCopy.ts';

export interface Preview {
	/** Null where there are no messages. */
	result: CompactResult | null;
	/** The session as it would be. */
	after: Session;
}

/**
 * What a compaction would do now, without doing it: the very same work, on a copy. A session that is only followed
 * can be tried too; what comes to it meanwhile is not in it. No model is asked for its summary.
 */
export async function previewCompaction(
	session: Session,
	order: CompactOrder,
	watcher: Watcher,
): Promise<Preview> {
	const after = scratchCopy(session);
	const result = await compactSession(after, order, watcher);
	return { result: result && { ...result, compactionId: undefined }, after };
}
