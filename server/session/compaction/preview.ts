/** A compaction tried out on a draft: what it would do, and the history that it would leave. */

import type { CompactResult } from '../../protocol/compact.ts';
import { type Draft, draftOf } from '../draft.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../store.ts';
import { type CompactOrder, compactSession, type Watcher } from './request.ts';

export interface Preview {
	/** Null where there are no messages. */
	result: CompactResult | null;
	/** The session as it would be. */
	draft: Draft;
}

/**
 * What a compaction would do now, without doing it: the very same work, on a copy. A session that is only followed
 * can be tried too; what comes to it meanwhile is not in it. No model is asked for its summary.
 */
export async function previewCompaction(
	store: SessionStore,
	session: Session,
	order: CompactOrder,
	watcher: Watcher,
): Promise<Preview> {
	const draft = draftOf(store, session);
	const result = await compactSession(draft.store, draft.session, order, watcher);
	return { result: result && { ...result, compactionId: undefined }, draft };
}
