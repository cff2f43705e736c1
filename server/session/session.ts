/** One open session: its state, its journal, its running tasks and its services. */

import { Failure } from '../core/failure.ts';
import { emptyState, type State } from '../core/history/state.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { ContextState } from '../protocol/stats.ts';
import type { BodyCache } from './body.ts';
import type { ClientContext } from './clientContext.ts';
import { createMutex, type Mutex, type SharedTask } from './order.ts';
import type { Journal, ReadOnlyJournal } from './ports.ts';
import type { PrefetchedSummary } from './prefetchedSummary.ts';
import { createReadingCache, type ReadingCache } from './readingCache.ts';
import type { SessionMeasure, SessionServices } from './services.ts';

/** A compaction that achieved too little. */
export interface StalledCompaction {
	/** Tokens of the history after the compaction. */
	tokens: number;
	/** The state whose stages were tried; `overflow` if all stages may always run. */
	triedState: ContextState;
}

/** The parts that a session is created from. */
export interface SessionInit {
	id: string;
	/** By default empty. */
	state?: State;
	services: SessionServices;
	/** How tokens are counted, as the client that opened the session prefers. */
	estimator(): EstimatorName;
	/** The client that opens it. */
	client: ClientContext;
	/** Cache of recently read messages of all open sessions; null if nothing is cached. */
	bodies: BodyCache | null;
	/** Absent if the session can only be read here. */
	journal?: Journal;
	/** The error of writes if there is no journal to write to. */
	refusal?: Failure;
	/** What compactions have read of the messages; by default empty. */
	readings?: ReadingCache;
	/** Reads bodies; for a read-only session, also detects changes by another process. */
	reader: Pick<Journal, 'read' | 'close'> & Partial<ReadOnlyJournal>;
	/** Runs work and keeps the session open until it ends. */
	stayOpen<T>(work: () => Promise<T>): Promise<T>;
}

/** A model's summary that is requested before a compaction is due. */
export interface PendingPrefetch {
	/** One request at a time; independent of compactions, since it changes nothing. */
	readonly mutex: Mutex;
	/** The client whose models were asked last; only its own compactions use the answer. */
	client?: ClientContext;
	/** The request that is running; `settled` never rejects. */
	runningRequest?: { controller: AbortController; settled: Promise<void> };
	/** The answer, until a compaction uses it. */
	summary?: PrefetchedSummary;
	/** The history and the models of the last request that brought no usable answer. */
	lastFailure?: { tokens: number; models: string };
	/** Tokens of the whole request at the last `context/prepare`. */
	lastRequestTokens?: number;
	/** Largest recent growth of the request between calls of `context/prepare`. Tokens. */
	growthTokens: number;
}

export interface Session extends Readonly<Omit<SessionInit, 'client'>> {
	readonly state: State;
	/** The client of the latest call; reading in advance uses its settings. */
	client: ClientContext;
	/** How messages before the newest usage figure were counted, if differently from the session. */
	headEstimator?: EstimatorName;
	readonly readings: ReadingCache;
	/** The running recount. */
	runningRecount?: Promise<void>;
	/** Why the session accepts no further writes. */
	brokenBy?: Failure;
	/** Attempts to recover since the last message. */
	recoveryAttempts: number;
	/** One compaction at a time. */
	readonly compactionMutex: Mutex;
	/** Compactions that run or wait, by their parameters. */
	readonly runningCompactions: Map<string, SharedTask<CompactResult | null>>;
	/** The last compaction, if it achieved too little. */
	stall?: StalledCompaction;
	readonly prefetch: PendingPrefetch;
}

/** A session without running tasks. */
export function createSession(source: SessionInit): Session {
	return {
		...source,
		state: source.state ?? emptyState(),
		readings: source.readings ?? createReadingCache(),
		recoveryAttempts: 0,
		compactionMutex: createMutex(),
		runningCompactions: new Map(),
		prefetch: { mutex: createMutex(), growthTokens: 0 },
	};
}

/** Rejects queued compactions and prefetches of a session, and cancels the running ones. */
export function stopCompacting({ compactionMutex, prefetch }: Session, reason: Error): void {
	compactionMutex.close(reason);
	prefetch.mutex.close(reason);
}

/** How the tokens of a session are counted. */
export function selectMeasure({ services, state, estimator }: Session): SessionMeasure {
	return services.measures.for(state.info.provider, state.info.model, estimator());
}

/** The journal to write to. Fails with the error that broke the session, `SessionLocked` or `ReadOnlySession`. */
export function requireWritableJournal({ id, brokenBy, journal, refusal }: Session): Journal {
	if (brokenBy) throw brokenBy;
	if (journal) return journal;
	throw refusal ?? new Failure('ReadOnlySession', `session "${id}" is read-only here`, { sessionId: id });
}
