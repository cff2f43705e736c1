/** Caches what compactions read of open sessions, within a common limit. */

import { emptyReading, type Reading } from '../core/analysis/analyses.ts';
import { workLimits } from '../core/compact/tuning.ts';
import type { Row } from '../core/history/row.ts';

/** The cache of one session, used from one compaction to the next. */
export interface ReadingCache {
	reading?: Reading;
	/** Messages of users without attachments. */
	readonly withoutAttachments: WeakSet<Row>;
	/** Whether a compaction is using the cache. */
	inUse: boolean;
	/** The non-empty caches of all open sessions, least recently used first. */
	readonly pool: Set<ReadingCache>;
}

/** Maximum length of all texts whose analysis is cached, in all sessions together. UTF-16 units. */
const maxPoolUnits = 3.2 * workLimits.maxCachedLength;

/** An empty cache. */
export function createReadingCache(pool: Set<ReadingCache> = new Set()): ReadingCache {
	return { inUse: false, pool, withoutAttachments: new WeakSet() };
}

/** Returns a cache's content; starts over if it exceeds its limit. */
export function ensureReading(cache: ReadingCache): Reading {
	if (!cache.reading || cache.reading.chars > workLimits.maxCachedLength) cache.reading = emptyReading();
	return cache.reading;
}

/** Clears the cache of a session. */
export function clearReading(cache: ReadingCache): void {
	cache.reading = undefined;
	cache.pool.delete(cache);
}

/** Clears the least recently used caches while all together exceed `maxLength`; call after reading. */
export function evictOldReadings(cache: ReadingCache, maxLength = maxPoolUnits): void {
	const { pool } = cache;
	pool.delete(cache);
	// The session, and with it its cache, may have been closed meanwhile.
	if (!cache.reading) return;
	pool.add(cache);
	let chars = 0;
	for (const { reading } of pool) chars += reading?.chars ?? 0;
	for (const other of pool) {
		if (chars <= maxLength || other === cache) return;
		chars -= other.reading?.chars ?? 0;
		clearReading(other);
	}
}

/**
 * Runs a compaction with the cache of its session.
 *
 * If another compaction or preview uses the cache, this one starts with an empty cache of its own, because a cache must
 * not change during a compaction.
 */
export async function runWithSessionCache<T>(
	cache: ReadingCache,
	work: (reading: Reading) => Promise<T>,
): Promise<T> {
	if (cache.inUse) return work(emptyReading());
	cache.inUse = true;
	try {
		return await work(ensureReading(cache));
	} finally {
		cache.inUse = false;
		evictOldReadings(cache);
	}
}
