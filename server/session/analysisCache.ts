/** Caches the analyses that compactions make of open sessions, within one limit for all sessions. */

import { createMessageAnalyses, type MessageAnalyses } from '../core/analysis/message/analyses.ts';
import { workLimits } from '../core/compact/tuning.ts';
import type { Row } from '../core/history/row.ts';

/** The cache of one session, used from one compaction to the next. */
export interface SessionAnalysisCache {
	analyses?: MessageAnalyses;
	/** Rows of user messages that are known to have no attachments. */
	readonly withoutAttachments: WeakSet<Row>;
	/** Whether a compaction is using the cache. */
	isInUse: boolean;
	/** The non-empty caches of all open sessions, least recently used first. */
	readonly pool: Set<SessionAnalysisCache>;
}

/** Maximum length of all texts whose analysis is cached, in all sessions together. UTF-16 units. */
const maxPoolUnits = 3.2 * workLimits.maxCachedLength;

/** Creates an empty cache. */
export function createSessionAnalysisCache(
	pool: Set<SessionAnalysisCache> = new Set(),
): SessionAnalysisCache {
	return { isInUse: false, pool, withoutAttachments: new WeakSet() };
}

/** Returns a cache's content; replaces it with an empty one if it is missing or exceeds its limit. */
export function ensureAnalyses(cache: SessionAnalysisCache): MessageAnalyses {
	if (!cache.analyses || cache.analyses.textLength > workLimits.maxCachedLength)
		cache.analyses = createMessageAnalyses();
	return cache.analyses;
}

/** Clears the cache of a session. */
export function clearAnalyses(cache: SessionAnalysisCache): void {
	cache.analyses = undefined;
	cache.pool.delete(cache);
}

/** Clears the least recently used caches until all together fit into `maxLength`. Must be called after each read. */
export function evictOldAnalyses(cache: SessionAnalysisCache, maxLength = maxPoolUnits): void {
	const { pool } = cache;
	pool.delete(cache);
	// The session, and with it its cache, may have been closed meanwhile.
	if (!cache.analyses) return;
	pool.add(cache);
	let chars = 0;
	for (const { analyses } of pool) chars += analyses?.textLength ?? 0;
	for (const other of pool) {
		if (chars <= maxLength || other === cache) return;
		chars -= other.analyses?.textLength ?? 0;
		clearAnalyses(other);
	}
}

/**
 * Runs a compaction with the cache of its session.
 *
 * If another compaction or preview uses the cache, `task` gets an empty cache instead, because a cache must not change
 * during a compaction.
 */
export async function runWithSessionCache<T>(
	cache: SessionAnalysisCache,
	task: (analyses: MessageAnalyses) => Promise<T>,
): Promise<T> {
	if (cache.isInUse) return task(createMessageAnalyses());
	cache.isInUse = true;
	try {
		return await task(ensureAnalyses(cache));
	} finally {
		cache.isInUse = false;
		evictOldAnalyses(cache);
	}
}
