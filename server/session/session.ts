/** One open session: its state, the journal behind it, what goes on with it, and what it works through. */

import { Failure } from '../core/failure.ts';
import { emptyState, type State } from '../core/history/state.ts';
import type { CompactResult } from '../protocol/compact.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { ContextState } from '../protocol/stats.ts';
import type { BodyCache } from './body.ts';
import type { ClientContext } from './clientContext.ts';
import { createMutex, type Mutex, type SharedWork } from './order.ts';
import type { Journal, ReadOnlyJournal } from './ports.ts';
import type { PrefetchedSummary } from './prefetchedSummary.ts';
import { createReadingKeeper, type ReadingKeeper } from './readings.ts';
import type { SessionMeasure, World } from './world.ts';

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
	/** How tokens are counted: as the client that opened the session wants it. */
	estimator(): EstimatorName;
	/** The client that opens it. */
	client: ClientContext;
	/** Messages that were read lately, of all open sessions; null where none are kept. */
	bodies: BodyCache | null;
	/** Absent if the session can only be read here. */
	journal?: Journal;
	/** What a write fails with if there is no journal to write to. */
	refusal?: Failure;
	/** What compactions have read of the messages; nothing yet where absent. */
	readings?: ReadingKeeper;
	/** Reads bodies; of a session that can only be read, it also says when another process has changed it. */
	reader: Pick<Journal, 'read' | 'close'> & Partial<ReadOnlyJournal>;
	/** Runs work for which the session stays open, whoever else is done with it. */
	stayOpen<T>(work: () => Promise<T>): Promise<T>;
}

/** A model's summary that is requested before a compaction is due. */
export interface Prefetch {
	/** One request at a time; independent of compactions, since it changes nothing. */
	readonly mutex: Mutex;
	/** The client whose models were asked last; only its own compactions use the answer. */
	client?: ClientContext;
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

export interface Session extends Readonly<Omit<SessionSource, 'client'>> {
	readonly state: State;
	/** The client whose call came last: reading ahead goes by its settings. */
	client: ClientContext;
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

/** How the tokens of a session are counted. */
export function measureOf({ world, state, estimator }: Session): SessionMeasure {
	return world.measures.for(state.info.provider, state.info.model, estimator());
}

/** The journal to write to. Fails with what broke the session, with `SessionLocked` or with `ReadOnlySession`. */
export function writable({ id, broken, journal, refusal }: Session): Journal {
	if (broken) throw broken;
	if (journal) return journal;
	throw refusal ?? new Failure('ReadOnlySession', `session "${id}" can only be read here`, { sessionId: id });
}
