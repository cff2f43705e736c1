/** One open session: its state, its journal, its running tasks and its services. */

import { Failure } from '../core/failure.ts';
import { createEmptyState, type State } from '../core/history/state.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { ContextState } from '../protocol/stats.ts';
import { createSessionAnalysisCache, type SessionAnalysisCache } from './analysisCache.ts';
import type { BodyCache } from './body.ts';
import type { ClientContext } from './clientContext.ts';
import { createMutex, type Mutex, type SharedTask } from './order.ts';
import type { Journal, ReadOnlyJournal } from './ports.ts';
import type { PrefetchedSummary } from './prefetchedSummary.ts';
import type { SessionMeasure, SessionServices } from './services.ts';

/** The parts that a session is created from. */
export interface SessionInit {
	id: string;
	/** The session's state; by default empty. */
	state?: State;
	services: SessionServices;
	/** Returns the estimator in the settings of the client that opened the session. */
	getEstimator(): EstimatorName;
	/** The client that opens the session. */
	client: ClientContext;
	/** Cache of recently read messages, shared by all open sessions; null if caching is off. */
	bodies: BodyCache | null;
	/** The journal to write to; absent if the session is read-only. */
	journal?: Journal;
	/** The error with which writes fail; absent if the session is writable. */
	refusal?: Failure;
	/** Analyses of messages that earlier compactions read; by default empty. */
	analysisCache?: SessionAnalysisCache;
	/** Reads bodies; for a read-only session, also detects changes by another process. */
	reader: Pick<Journal, 'read' | 'close'> & Partial<ReadOnlyJournal>;
	/** Runs a task and keeps the session open until the task ends. */
	runWhileOpen<T>(task: () => Promise<T>): Promise<T>;
}

/** A model's summary that is requested before a compaction is due. */
export interface PendingPrefetch {
	/** Allows one request at a time. Compactions use another mutex, since a prefetch changes nothing. */
	readonly mutex: Mutex;
	/** The client whose models were asked last; only compactions of this client use the answer. */
	client?: ClientContext;
	/** The running request; `settled` never rejects. */
	runningRequest?: { controller: AbortController; settled: Promise<void> };
	/** The answer, until a compaction uses it. */
	summary?: PrefetchedSummary;
	/** Size of the history and names of the models at the last request without a usable answer. */
	lastFailure?: { tokens: number; models: string };
	/** Tokens of the whole request at the last `context/prepare`. */
	lastRequestTokens?: number;
	/** Largest recent growth of the request between calls of `context/prepare`. Tokens. */
	growthTokens: number;
}

export interface Session extends Readonly<Omit<SessionInit, 'client'>> {
	readonly state: State;
	/** The client of the latest call, whose settings apply when messages are read in advance. */
	client: ClientContext;
	/** Estimator of the messages before the newest usage figure, if it is not the session's. */
	headEstimator?: EstimatorName;
	readonly analysisCache: SessionAnalysisCache;
	/** The running recount of all tokens. */
	runningRecount?: Promise<void>;
	/** Why the session accepts no further writes. */
	brokenBy?: Failure;
	/** Number of recoveries from overflows since the last message. */
	recoveryAttempts: number;
	/** Allows one compaction at a time. */
	readonly compactionMutex: Mutex;
	/** Running and queued compactions, by client and parameters. */
	readonly runningCompactions: Map<string, SharedTask<CompactResult | null>>;
	/**
	 * The last compaction, if it saved too little: the tokens of the history after it, and the state of the window for
	 * which its stages were selected (`overflow` if all stages were tried).
	 */
	stall?: { tokens: number; triedState: ContextState };
	readonly prefetch: PendingPrefetch;
}

/** Creates a session without running tasks. */
export function createSession(source: SessionInit): Session {
	return {
		...source,
		state: source.state ?? createEmptyState(),
		analysisCache: source.analysisCache ?? createSessionAnalysisCache(),
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

/** Returns how the tokens of a session are counted. */
export function selectMeasure({ services, state, getEstimator }: Session): SessionMeasure {
	return services.measures.getMeasure(state.info.provider, state.info.model, getEstimator());
}

/**
 * Returns the journal to write to.
 *
 * Throws the error that broke the session, `SessionLocked`, or `ReadOnlySession`.
 */
export function requireWritableJournal({ id, brokenBy, journal, refusal }: Session): Journal {
	if (brokenBy) throw brokenBy;
	if (journal) return journal;
	throw refusal ?? new Failure('ReadOnlySession', `session "${id}" is read-only here`, { sessionId: id });
}
