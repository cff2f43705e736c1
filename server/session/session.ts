/** One open session: its state, the journal behind it, what goes on with it, and what it works through. */

import { Failure } from '../core/failure.ts';
import { emptyState, type State } from '../core/history/state.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { ContextState } from '../protocol/stats.ts';
import type { BodyCache } from './body.ts';
import { createMutex, type Mutex, type SharedWork } from './order.ts';
import type { FollowedJournal, Journal, Records } from './ports.ts';
import type { PrefetchedSummary } from './prefetchedSummary.ts';
import { createReadingKeeper, type ReadingKeeper } from './readings.ts';
import type { World } from './world.ts';

/** A compaction that came to little. */
export interface Stall {
	/** Of the history, after the compaction. */
	tokens: number;
	/** The state whose means were tried; `overflow` where all may always run. */
	tried: ContextState;
}

/** What a session is opened with. */
export interface SessionSource {
	id: string;
	/** Empty where absent. */
	state?: State;
	world: World;
	/** Messages that were read lately, of all open sessions; null where none are kept. */
	bodies: BodyCache | null;
	/** Absent where another process holds the session and this one only follows. */
	journal?: Journal;
	/** What compactions have read of the messages; nothing yet where absent. */
	readings?: ReadingKeeper;
	/** Another process holds it, and is asked to write: what is read here is its journal. */
	isShared?: boolean;
	/** Reads bodies, held or followed. */
	reader: Pick<FollowedJournal, 'read' | 'close'> & Partial<FollowedJournal>;
	/** Runs work for which the session stays open, whoever else is done with it. */
	stayOpen<T>(work: () => Promise<T>): Promise<T>;
}

/** A model's summary that is requested before a compaction is due. */
export interface Prefetch {
	/** One request at a time; independent of compactions, since it changes nothing. */
	readonly mutex: Mutex;
	/** The request that is running; `settled` never rejects. */
	running?: { controller: AbortController; settled: Promise<void> };
	/** The answer, until a compaction uses it. */
	summary?: PrefetchedSummary;
	/** The history and the models of the last request that brought no usable answer. */
	failed?: { tokens: number; models: string };
	/** Tokens of the whole request at the last `context/prepare`. */
	lastTokens?: number;
	/** Tokens that the request grew by between calls of `context/prepare`: the largest recent rise. */
	growthTokens: number;
}

export interface Session extends Readonly<SessionSource> {
	readonly state: State;
	/** How what lies before the newest usage figure was counted, where it is another way than the session's. */
	headEstimator?: EstimatorName;
	readonly readings: ReadingKeeper;
	/** The recount that is under way. */
	recounting?: Promise<void>;
	/** Why it takes nothing more. */
	broken?: Failure;
	/** Attempts to recover since the last message. */
	recoveries: number;
	/** One compaction at a time. */
	readonly compacting: Mutex;
	/** Compactions that run or wait, by their parameters. */
	readonly compactions: Map<string, SharedWork<CompactResult | null>>;
	/** The last compaction, where it came to little. */
	stall?: Stall;
	readonly prefetch: Prefetch;
}

/** A session with which nothing goes on yet. */
export function createSession(source: SessionSource): Session {
	return {
		...source,
		state: source.state ?? emptyState(),
		readings: source.readings ?? createReadingKeeper(),
		recoveries: 0,
		compacting: createMutex(),
		compactions: new Map(),
		prefetch: { mutex: createMutex(), growthTokens: 0 },
	};
}

/** Rejects queued compactions and prefetches of a session, and cancels the running ones. */
export function stopCompacting({ compacting, prefetch }: Session, reason: Error): void {
	compacting.close(reason);
	prefetch.mutex.close(reason);
}

/** What records go to: the journal, or what stands for it in a write that is only answered again; else undefined. */
export function recordSink({ journal, world }: Session): Records | undefined {
	return journal ?? world.operation?.()?.records;
}

/**
 * Fails with `ReadOnlySession` where the session is only followed, with `SessionLocked` where another process holds it,
 * or with what broke it.
 */
export function writable(session: Session): Records {
	const { id, broken, isShared } = session;
	if (broken) throw broken;
	const records = recordSink(session);
	if (records) return records;
	if (isShared) {
		throw new Failure('SessionLocked', `session "${id}" is held by another process`, { sessionId: id });
	}
	const reason = `session "${id}" is open read-only here: open it without readOnly to write`;
	throw new Failure('ReadOnlySession', reason, { sessionId: id });
}
