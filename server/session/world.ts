/** Everything that sessions are given from outside, in one value. */

import type { Counts, RequestCounts } from '../core/measure/counts.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { ChatMessage, EstimatorName, ModelRequest } from '../protocol/conversation.ts';
import type { Settings } from '../protocol/settings.ts';
import type { AskModel, FileSummaryCache, HeldViews, JournalStore, Logger, SessionFiles } from './ports.ts';

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

/** What happens to sessions, told to whoever wants to know. */
export interface Events {
	/** A session's figures changed. */
	changed(sessionId: string): void;
	/** A compaction was committed. */
	compacted(sessionId: string, result: CompactResult): void;
}

export interface World {
	journals: JournalStore;
	measures: Measures;
	/** Where views of plugins are kept; absent where nothing is kept on disk. */
	heldViews?: HeldViews;
	/** Where summaries of large files are kept; absent if nothing is kept on disk. */
	fileSummaries?: FileSummaryCache;
	settings(): Settings;
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
	/** Asks a model that the user configured, or the client's; absent where none may be asked. */
	askModel?: AskModel;
	/** Whether the client offers its user's model. */
	clientOffersModel(): boolean;
	/** Resolves after so many milliseconds; rejects once the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void>;
	/** Follows the files that open sessions know; absent where nobody watches files. */
	files?: SessionFiles;
}
