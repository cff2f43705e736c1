/** Everything that sessions are given from outside and that is the same for all clients. */

import type { Counts, RequestCounts } from '../core/measure/measure.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { ChatMessage, EstimatorName, ModelRequest } from '../protocol/conversation.ts';
import type { Settings } from '../protocol/settings.ts';
import type { FileSummaryCache, HeldViews, JournalStore, Logger, SessionFiles } from './ports.ts';

/** How the tokens of one model are counted. */
export interface SessionMeasure {
	/** Names family and way of counting: counts of equal keys may be added up. */
	key: string;
	/** What is really used; the calibrated one stands in while exact tables are loading. */
	estimator: EstimatorName;
	countText(text: string): number;
	countMessage(message: ChatMessage): Counts;
	countRequest(request: ModelRequest): RequestCounts;
}

export interface Measures {
	/** Waits until the counting that was asked for is at hand. */
	ready(provider: string, model: string, estimator: EstimatorName): Promise<void>;
	for(provider: string, model: string, estimator: EstimatorName): SessionMeasure;
}

/** What happens to sessions, for all clients. */
export interface Events {
	/** A session's figures changed. */
	changed(sessionId: string): void;
	/** A compaction was committed. */
	compacted(sessionId: string, result: CompactResult): void;
	/** A session that is open is about to leave memory. */
	leaving(sessionId: string): void;
}

export interface World {
	journals: JournalStore;
	measures: Measures;
	/** Where views of plugins are kept; absent where nothing is kept on disk. */
	heldViews?: HeldViews;
	/** Where summaries of large files are kept; absent if nothing is kept on disk. */
	fileSummaries?: FileSummaryCache;
	/** Settings of storage, the same for all clients. */
	storage(): Settings['storage'];
	/** Milliseconds since the epoch. */
	now(): number;
	/** An id that no other is equal to. */
	newId(): string;
	/** Equal texts have equal digests, different ones different ones. */
	digest(text: string): string;
	/** Resolves when others had a chance to work. */
	pause(): Promise<void>;
	log: Logger;
	events: Events;
	/** Resolves after so many milliseconds; rejects once the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void>;
	/** Follows the files that open sessions know; absent where nobody watches files. */
	files?: SessionFiles;
}
