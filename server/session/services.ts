/** The services that sessions use, the same for all clients. */

import type { Counts, RequestCounts } from '../core/measure/measure.ts';
import type { SlicedTask } from '../core/slices.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { ChatMessage, EstimatorName, ModelRequest } from '../protocol/conversation.ts';
import type { Settings } from '../protocol/settings.ts';
import type { HeldViews, JournalStore, Logger, SavingsRecords, SessionFiles, SummaryCache } from './ports.ts';

/** How the tokens of one model are counted. */
export interface SessionMeasure {
	/** Identifies vocabulary and counting method. Only counts with equal keys may be added. */
	key: string;
	/** The estimator in use: the calibrated one while exact tables are loading. */
	estimator: EstimatorName;
	countText(text: string): number;
	countMessage(message: ChatMessage): Counts;
	countRequest(request: ModelRequest): RequestCounts;
}

export interface Measures {
	/** Resolves when the requested estimator is available. */
	load(provider: string, model: string, estimator: EstimatorName): Promise<void>;
	getMeasure(provider: string, model: string, estimator: EstimatorName): SessionMeasure;
}

/** Receives the events of all sessions. */
export interface SessionEvents {
	/** Called when a session's stats changed. */
	notifyChanged(sessionId: string): void;
	/** Called when a compaction was committed. */
	notifyCompacted(sessionId: string, result: CompactResult): void;
	/** Called before an open session is closed. */
	notifyLeaving(sessionId: string): void;
}

export interface SessionServices {
	journals: JournalStore;
	measures: Measures;
	/** Stores plugins' views; absent if nothing is stored on disk. */
	heldViews?: HeldViews;
	/** Caches summaries of large files; absent if nothing is stored on disk. */
	fileSummaries?: SummaryCache;
	/** Records what compactions saved in all sessions; absent if nothing is stored on disk. */
	savings?: SavingsRecords;
	/** Settings of storage, the same for all clients. */
	getStorageSettings(): Settings['storage'];
	/** Returns the present time in milliseconds since the epoch. */
	now(): number;
	/** Returns a unique id. */
	createId(): string;
	/** Returns the digest of a text; different texts have different digests. */
	digest(text: string): string;
	/** Resolves after other tasks had a turn. */
	pause(): Promise<void>;
	log: Logger;
	events: SessionEvents;
	/** Resolves after this many milliseconds; rejects if the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void>;
	/** Tracks the files of open sessions; absent if no files are watched. */
	files?: SessionFiles;
}

/** Runs a task in slices, between which other tasks get a turn. */
export async function runInSlices<T>(
	task: SlicedTask<T>,
	{ pause }: Pick<SessionServices, 'pause'>,
): Promise<T> {
	let slice = task.next();
	for (; !slice.done; slice = task.next()) await pause();
	return slice.value;
}
