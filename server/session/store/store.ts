/**
 * Keeps a limited number of sessions open.
 *
 * If there are too many, the least recently used session is closed, and reopened from its journal when needed.
 */

import { LRUCache } from 'lru-cache';
import { Failure } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import { clearAnalyses, createSessionAnalysisCache, type SessionAnalysisCache } from '../analysisCache.ts';
import type { BodyCache } from '../body.ts';
import type { ClientContext } from '../clientContext.ts';
import { type CallLane, createLane } from '../order.ts';
import type { Journal } from '../ports.ts';
import { recountIfNeeded } from '../remeasure.ts';
import { runInSlices, type SessionServices } from '../services.ts';
import { requireWritableJournal, type Session, stopCompacting } from '../session.ts';
import { createListing } from './listing.ts';
import { SessionOpener } from './opener.ts';

/**
 * Time since a session's last use after which it may be closed to free memory, in milliseconds.
 *
 * If sessions were closed earlier, a client that polls a session's stats would wait for the journal each time.
 */
const minIdleMs = 10_000;

interface SessionSlot {
	readonly id: string;
	/** Resolves when every earlier call has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls for the session that have not settled. */
	readonly calls: Set<Promise<unknown>>;
	/** Number of calls and background tasks that keep the session open. */
	userCount: number;
	/** When the session's last use ended, in milliseconds since the epoch. */
	usedAt: number;
	/** Whether the session is closed as soon as it is no longer in use. */
	shouldClose: boolean;
	closing?: Promise<void>;
}

/** Returns a slot whose session is not open yet. */
function createSlot(id: string): SessionSlot {
	return { id, tail: Promise.resolve(), userCount: 0, usedAt: 0, calls: new Set(), shouldClose: false };
}

/** A task that uses a session. */
export type SessionTask<T> = (session: Session, lane: CallLane) => T | Promise<T>;

/** A listener that is awaited before a session is closed for a client, or deleted (no client). */
type EndListener = (sessionId: string, client?: ClientContext) => Promise<void>;

/** Runs `task`; if the session was deleted meanwhile, rejects with `SessionNotFound`. */
async function runUnlessDeleted<T>(session: Session, task: () => T | Promise<T>): Promise<T> {
	try {
		return await task();
	} catch (error) {
		throw session.brokenBy?.kind === 'SessionNotFound' ? session.brokenBy : error;
	}
}

/**
 * Opens and closes the sessions of a state folder, and orders their calls. Storage settings are read at first use.
 *
 * - A slot exists while its session is open, in use or being closed, until `closeAll`. A slot has at most one session.
 * - `tail` orders calls: `#ensureOpen` and `#deleteSlot` of one slot never overlap.
 * - A session in use is not closed, except by `delete` and `closeAll`, or because it is broken or outdated.
 * - `#recentIds` has the ids of recently used sessions; a session that drops out of it is closed soon.
 */
export class SessionStore {
	readonly services: SessionServices;
	readonly #slots = new Map<string, SessionSlot>();
	readonly #analysisCaches = new Set<SessionAnalysisCache>();
	readonly #endListeners: EndListener[] = [];
	readonly #opener: SessionOpener;
	readonly #listSessions: ReturnType<typeof createListing>;
	#bodies: BodyCache | null | undefined;
	#recentIds: LRUCache<string, true> | undefined;

	constructor(services: SessionServices) {
		this.services = services;
		this.#opener = new SessionOpener(services, {
			getBodyCache: () => this.#getBodyCache(),
			createAnalysisCache: () => createSessionAnalysisCache(this.#analysisCaches),
			keepOpen: (id, task) => this.#keepOpen(this.#getSlot(id), task),
		});
		this.#listSessions = createListing(services, (id) => {
			const session = this.#slots.get(id)?.session;
			// A broken session has messages that were never stored; a read-only one may be outdated.
			return session?.journal && !session.brokenBy ? session.state : undefined;
		});
	}

	/**
	 * Passes a session to `task`, opening it first if needed.
	 *
	 * Calls for one session start in the order in which they were made. A call that awaits something does not delay later
	 * calls, unless it holds the lane.
	 */
	run<T>(id: string, client: ClientContext, task: SessionTask<T>): Promise<T> {
		const slot = this.#getSlot(id);
		return this.#runInSlot(
			slot,
			() => this.#ensureOpen(slot, client, () => this.#opener.open(id, client)),
			task,
		);
	}

	/**
	 * Passes a session to `task` like `run`, but creates a missing session.
	 * A session that was read-only is opened for writing if this is possible now.
	 */
	runOrCreate<T>(
		info: SessionInfo,
		client: ClientContext,
		task: (session: Session, created: boolean, lane: CallLane) => T | Promise<T>,
	): Promise<T> {
		const slot = this.#getSlot(info.sessionId);
		let created = false;
		const prepare = async (): Promise<Session> => {
			if (slot.session && !slot.session.journal) await this.#closeUnusable(slot);
			return this.#ensureOpen(slot, client, async () => {
				const openResult = await this.#opener.openOrCreate(info, client);
				created = openResult.created;
				return openResult.session;
			});
		};
		return this.#runInSlot(slot, prepare, (session, lane) => task(session, created, lane));
	}

	/**
	 * Creates a session whose records `fill` writes, and passes it to `task` like `run`.
	 *
	 * If `fill` fails, no session is created. `fill` is not called if the session is open.
	 */
	createAndRun<T>(
		id: string,
		client: ClientContext,
		fill: (journal: Journal) => Promise<void>,
		task: SessionTask<T>,
	): Promise<T> {
		const slot = this.#getSlot(id);
		const open = async (): Promise<Session> => {
			await this.#opener.createJournal(id, fill);
			return this.#opener.open(id, client);
		};
		return this.#runInSlot(slot, () => this.#ensureOpen(slot, client, open), task);
	}

	/** Closes a session after its calls are done. */
	async close(id: string, client: ClientContext): Promise<void> {
		await this.#notifyEnd(id, client);
		const slot = this.#getSlot(id);
		await this.run(id, client, () => {
			slot.shouldClose = true;
		});
		await slot.closing;
	}

	/** Deletes a session; later calls fail with `SessionNotFound`. */
	async delete(id: string): Promise<void> {
		await this.#notifyEnd(id);
		const slot = this.#getSlot(id);
		slot.userCount++;
		const removal = slot.tail.then(() => this.#deleteSlot(slot));
		slot.tail = removal.catch(() => undefined);
		try {
			await removal;
		} finally {
			this.#getRecentSessions().delete(id);
			slot.userCount--;
			this.#removeUnused(slot);
		}
	}

	/** Lists all stored sessions, or those that match `filter`, newest first. Leaves out unreadable sessions. */
	list(filter?: ListParams): Promise<SessionSummary[]> {
		return this.#listSessions(filter);
	}

	/** Lists the open sessions. */
	listOpen(): Session[] {
		return [...this.#slots.values()].flatMap(({ session }) => session ?? []);
	}

	/** Registers a listener that is awaited before a session is closed for a client, or deleted for all. */
	onEnd(listener: EndListener): void {
		this.#endListeners.push(listener);
	}

	/** Closes up to `count` sessions that were not used for some seconds, least recently used first. */
	async closeIdle(count: number): Promise<void> {
		const recent = this.#getRecentSessions();
		const idle = [...recent.rkeys()].filter((id) => this.#isIdle(id)).slice(0, count);
		for (const id of idle) recent.delete(id);
		await Promise.all(idle.map((id) => this.#closeUnused(id)));
	}

	async closeAll(): Promise<void> {
		const allSlots = [...this.#slots.values()];
		this.#slots.clear();
		const reason = new Failure('SessionClosed', 'the daemon is stopping and has closed its sessions');
		for (const { session } of allSlots) if (session) stopCompacting(session, reason);
		await Promise.all(allSlots.map((slot) => slot.session?.reader.close() ?? slot.closing));
	}

	#getBodyCache(): BodyCache | null {
		const { cacheBytes } = this.services.getStorageSettings();
		if (this.#bodies === undefined)
			this.#bodies = cacheBytes > 0 ? new LRUCache({ maxSize: cacheBytes }) : null;
		return this.#bodies;
	}

	#getRecentSessions(): LRUCache<string, true> {
		this.#recentIds ??= new LRUCache<string, true>({
			max: this.services.getStorageSettings().maxSessions,
			dispose: (_, id, reason) => {
				if (reason === 'evict') this.#closeSoon(id);
			},
		});
		return this.#recentIds;
	}

	#getSlot(id: string): SessionSlot {
		return getOrInsert(this.#slots, id, createSlot);
	}

	#isIdle(id: string): boolean {
		const slot = this.#slots.get(id);
		return slot?.userCount === 0 && this.services.now() - slot.usedAt >= minIdleMs;
	}

	#removeUnused(slot: SessionSlot): void {
		const isUnused = !slot.session && slot.userCount === 0 && !slot.closing;
		if (isUnused && this.#slots.get(slot.id) === slot) this.#slots.delete(slot.id);
	}

	#runInSlot<T>(slot: SessionSlot, openSession: () => Promise<Session>, task: SessionTask<T>): Promise<T> {
		const lane = createLane();
		const sessionReady = slot.tail.then(openSession);
		const result = sessionReady.then((session) => runUnlessDeleted(session, () => task(session, lane)));
		result.then(lane.release, lane.release);
		// Set after `task` was scheduled, so that the next call starts once this call has reached its first `await`.
		slot.tail = sessionReady.then(
			() => lane.whenReleased,
			() => undefined,
		);
		return this.#keepOpen(slot, result);
	}

	/**
	 * Returns the session of a slot; opens the session if it is closed, broken or outdated.
	 *
	 * Files of the session are synced first, and its messages are recounted if their counts are outdated.
	 */
	async #ensureOpen(
		slot: SessionSlot,
		client: ClientContext,
		open: () => Promise<Session>,
	): Promise<Session> {
		await slot.closing;
		if (slot.session?.brokenBy || (await slot.session?.reader.isOutdated?.()))
			await this.#closeUnusable(slot);
		slot.session ??= await open();
		slot.shouldClose = false;
		const { session } = slot;
		session.client = client;
		if (this.services.files) await runInSlices(this.services.files.syncInSlices(session), this.services);
		const { provider, model } = session.state.info;
		await this.services.measures.load(provider, model, session.getEstimator());
		// The counts are outdated if the client has set another estimator, or if an older version counted.
		if (session.journal) await recountIfNeeded(session);
		return session;
	}

	/** Keeps the session of a slot open until `task` has settled. */
	#keepOpen<T>(slot: SessionSlot, task: Promise<T>): Promise<T> {
		slot.userCount++;
		slot.calls.add(task);
		const handleEnd = (): void => {
			slot.userCount--;
			slot.calls.delete(task);
			slot.usedAt = this.services.now();
			if (slot.session) this.#getRecentSessions().set(slot.id, true);
			else this.#removeUnused(slot);
			if (slot.userCount > 0 || !slot.shouldClose) return;
			this.#getRecentSessions().delete(slot.id);
			this.#closeSoon(slot.id);
		};
		task.then(handleEnd, handleEnd);
		return task;
	}

	/** Closes a session unless it is in use; a session in use is closed when its last task is done. */
	async #closeUnused(id: string): Promise<void> {
		const slot = this.#slots.get(id);
		if (!slot?.session || slot.userCount > 0) return;
		this.services.events.notifyLeaving(id);
		slot.shouldClose = false;
		slot.closing = this.#detachSession(slot)?.reader.close();
		try {
			await slot.closing;
		} finally {
			slot.closing = undefined;
			this.#removeUnused(slot);
		}
	}

	#closeSoon(id: string): void {
		this.#closeUnused(id).catch((error) => this.services.log.error(`closing session "${id}": ${error}`));
	}

	/** Closes a broken or outdated session, so that the next call reopens it. */
	async #closeUnusable(slot: SessionSlot): Promise<void> {
		const session = this.#detachSession(slot);
		if (!session) return;
		const close = (): Promise<void> =>
			session.reader
				.close()
				// The error that broke the session was reported before.
				.catch((error) => this.services.log.debug(`closing session "${session.id}": ${error}`));
		if (session.journal) await close();
		// Earlier calls may still read from the journal.
		else void Promise.allSettled([...slot.calls]).then(close);
	}

	async #deleteSlot(slot: SessionSlot): Promise<void> {
		await slot.closing;
		const { id, session } = slot;
		if (session && !session.brokenBy) requireWritableJournal(session);
		this.#detachSession(slot);
		if (session) {
			session.brokenBy = new Failure('SessionNotFound', `session "${id}" was deleted`, { sessionId: id });
			stopCompacting(session, session.brokenBy);
			await session.reader.close();
		}
		await this.services.journals.delete(id);
		await this.services.savings?.forget(id);
	}

	/** Removes the session from its slot, so that the next call reopens it. */
	#detachSession(slot: SessionSlot): Session | undefined {
		const { session } = slot;
		if (!session) return undefined;
		slot.session = undefined;
		clearAnalyses(session.analysisCache);
		this.services.files?.forget(session);
		return session;
	}

	async #notifyEnd(id: string, client?: ClientContext): Promise<void> {
		for (const listener of this.#endListeners) await listener(id, client);
	}
}
