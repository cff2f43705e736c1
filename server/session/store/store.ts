/**
 * The open sessions, limited in number.
 *
 * The least recently used one is closed when there are too many, and reopened from its journal when needed.
 */

import { LRUCache } from 'lru-cache';
import { Failure } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import { type BodyCache, createBodyCache } from '../body.ts';
import type { ClientContext } from '../clientContext.ts';
import { createLane, type Lane } from '../order.ts';
import type { Journal } from '../ports.ts';
import { createReadingCache, dropReading, type ReadingCache } from '../readingCache.ts';
import { remeasure } from '../remeasure.ts';
import { type Session, stopCompacting, writable } from '../session.ts';
import { inSlices } from '../slices.ts';
import type { World } from '../world.ts';
import { createListing } from './listing.ts';
import { Opener } from './opener.ts';

/**
 * Milliseconds without a use after which a session may be closed to free memory: a client that asks for its figures
 * again and again would otherwise wait for the journal each time.
 */
const minIdleMs = 10_000;

interface SessionSlot {
	readonly id: string;
	/** Resolves when every earlier call has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls that have not settled. */
	readonly calls: Set<Promise<unknown>>;
	/** Uses of the session: its calls, and work that keeps it open. */
	users: number;
	/** When its last use ended. */
	usedAt: number;
	/** Whether the session is to be closed when it is no longer in use. */
	leaving: boolean;
	closing?: Promise<void>;
}

/** An empty slot. */
function createSlot(id: string): SessionSlot {
	return { id, tail: Promise.resolve(), users: 0, usedAt: 0, calls: new Set(), leaving: false };
}

/** A task that uses a session. */
export type Work<T> = (session: Session, lane: Lane) => T | Promise<T>;

export interface SessionStore {
	readonly world: World;
	/**
	 * Passes a session to `work`, opening it first if needed.
	 *
	 * Calls for one session start in the order in which they were made. A call that waits does not delay later calls unless
	 * it holds the lane.
	 */
	run<T>(sessionId: string, client: ClientContext, work: Work<T>): Promise<T>;
	/**
	 * Like `run`, but creates a missing session.
	 * A session that was read-only so far is opened for writing if that is possible by now.
	 */
	runOrCreate<T>(
		info: SessionInfo,
		client: ClientContext,
		work: (session: Session, created: boolean, lane: Lane) => T | Promise<T>,
	): Promise<T>;
	/**
	 * Like `run`, for a session whose records `fill` writes.
	 *
	 * If `fill` fails, there is no such session. `fill` is not called if the session is open.
	 */
	create<T>(
		sessionId: string,
		client: ClientContext,
		fill: (journal: Journal) => Promise<void>,
		work: Work<T>,
	): Promise<T>;
	/** Closes a session when its calls are done. */
	close(sessionId: string, client: ClientContext): Promise<void>;
	/** Deletes a session; later calls fail with `SessionNotFound`. */
	delete(sessionId: string): Promise<void>;
	/** All stored sessions, or the wanted ones, newest first; unreadable ones are left out. */
	list(wanted?: ListParams): Promise<SessionSummary[]>;
	/** The open sessions. */
	open(): Session[];
	/** Closes up to `count` sessions that nobody has used for some seconds, least recently used first. */
	closeIdle(count: number): Promise<void>;
	/** Registers a listener that is awaited before a session is closed for a client, or deleted for all. */
	onEnd(listener: (sessionId: string, client?: ClientContext) => Promise<void>): void;
	closeAll(): Promise<void>;
}

/** Runs `work`; if the session was deleted meanwhile, rejects with `SessionNotFound`. */
async function attempt<T>(session: Session, work: () => T | Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw session.broken?.kind === 'SessionNotFound' ? session.broken : error;
	}
}

/** Creates the store of a world's sessions. Storage settings are read at first use. */
export function createSessionStore(world: World): SessionStore {
	let bodies: BodyCache | null | undefined;
	let recent: LRUCache<string, true> | undefined;
	const slots = new Map<string, SessionSlot>();
	const readingCaches = new Set<ReadingCache>();
	const opener = new Opener(world, {
		bodies: bodyCache,
		readings: () => createReadingCache(readingCaches),
		stayOpen: (id, work) => inUse(slotOf(id), work),
	});
	const endListeners: ((sessionId: string, client?: ClientContext) => Promise<void>)[] = [];

	const list = createListing(world, (id) => {
		const session = slots.get(id)?.session;
		// A broken session has messages that were never stored; a read-only one may be outdated.
		return session?.journal && !session.broken ? session.state : undefined;
	});

	function bodyCache(): BodyCache | null {
		if (bodies === undefined) bodies = createBodyCache(world.storage().cacheBytes);
		return bodies;
	}

	function recentlyUsed(): LRUCache<string, true> {
		recent ??= new LRUCache<string, true>({
			max: world.storage().maxSessions,
			dispose(_, id, reason) {
				if (reason === 'evict') closeSoon(id);
			},
		});
		return recent;
	}

	function slotOf(id: string): SessionSlot {
		return getOrInsert(slots, id, createSlot);
	}

	function isIdle(id: string): boolean {
		const slot = slots.get(id);
		return slot?.users === 0 && world.now() - slot.usedAt >= minIdleMs;
	}

	function removeUnused(slot: SessionSlot): void {
		const isUnused = !slot.session && slot.users === 0 && !slot.closing;
		if (isUnused && slots.get(slot.id) === slot) slots.delete(slot.id);
	}

	/** Removes the session from its slot, so that the next call reopens it. */
	function detach(slot: SessionSlot): Session | undefined {
		const { session } = slot;
		if (!session) return undefined;
		slot.session = undefined;
		dropReading(session.readings);
		world.files?.forget(session);
		return session;
	}

	/** Closes a session without users; one in use is closed when its last user is done. */
	async function closeUnused(id: string): Promise<void> {
		const slot = slots.get(id);
		if (!slot?.session || slot.users > 0) return;
		world.events.leaving(id);
		slot.leaving = false;
		slot.closing = detach(slot)?.reader.close();
		try {
			await slot.closing;
		} finally {
			slot.closing = undefined;
			removeUnused(slot);
		}
	}

	function closeSoon(id: string): void {
		closeUnused(id).catch((error) => world.log.error(`closing session "${id}": ${error}`));
	}

	/** Drops a session that is broken or outdated. */
	async function drop(slot: SessionSlot): Promise<void> {
		const session = detach(slot);
		if (!session) return;
		const close = (): Promise<void> =>
			session.reader
				.close()
				// The reason was reported before.
				.catch((error) => world.log.debug(`closing session "${session.id}": ${error}`));
		if (session.journal) await close();
		// Earlier calls may still read from the session.
		else void Promise.allSettled([...slot.calls]).then(close);
	}

	/** Returns the session of a slot, ready for work; opens it if needed. */
	async function ensure(
		slot: SessionSlot,
		client: ClientContext,
		open: () => Promise<Session>,
	): Promise<Session> {
		await slot.closing;
		if (slot.session?.broken || (await slot.session?.reader.isOutdated?.())) await drop(slot);
		slot.session ??= await open();
		slot.leaving = false;
		const { session } = slot;
		session.client = client;
		if (world.files) await inSlices(world.files.takeIn(session), world);
		const { provider, model } = session.state.info;
		await world.measures.ready(provider, model, session.estimator());
		// The counts are outdated if another estimator was set, or an older version counted.
		if (session.journal) await remeasure(session);
		return session;
	}

	function enter<T>(
		slot: SessionSlot,
		ready: () => Promise<Session>,
		work: (session: Session, lane: Lane) => T | Promise<T>,
	): Promise<T> {
		const lane = createLane();
		const started = slot.tail.then(ready);
		const result = started.then((session) => attempt(session, () => work(session, lane)));
		result.then(lane.release, lane.release);
		// Registered after `work`: the next call starts when this one has reached its first `await`.
		slot.tail = started.then(
			() => lane.held,
			() => undefined,
		);
		return inUse(slot, result);
	}

	function run<T>(id: string, client: ClientContext, work: Work<T>): Promise<T> {
		const slot = slotOf(id);
		return enter(slot, () => ensure(slot, client, () => opener.open(id, client)), work);
	}

	/** Keeps the session open until `work` is settled. */
	function inUse<T>(slot: SessionSlot, work: Promise<T>): Promise<T> {
		slot.users++;
		slot.calls.add(work);
		const settled = (): void => {
			slot.users--;
			slot.calls.delete(work);
			slot.usedAt = world.now();
			if (slot.session) recentlyUsed().set(slot.id, true);
			else removeUnused(slot);
			if (slot.users > 0 || !slot.leaving) return;
			recentlyUsed().delete(slot.id);
			closeSoon(slot.id);
		};
		work.then(settled, settled);
		return work;
	}

	async function notifyEnd(id: string, client?: ClientContext): Promise<void> {
		for (const listener of endListeners) await listener(id, client);
	}

	async function remove(slot: SessionSlot): Promise<void> {
		await slot.closing;
		const { id, session } = slot;
		if (session && !session.broken) writable(session);
		detach(slot);
		if (session) {
			session.broken = new Failure('SessionNotFound', `session "${id}" was deleted`, { sessionId: id });
			stopCompacting(session, session.broken);
			await session.reader.close();
		}
		await world.journals.delete(id);
	}

	return {
		world,
		run,
		runOrCreate(info, client, work) {
			const slot = slotOf(info.sessionId);
			let created = false;
			const ready = async (): Promise<Session> => {
				if (slot.session && !slot.session.journal) await drop(slot);
				return ensure(slot, client, async () => {
					const opened = await opener.openOrCreate(info, client);
					created = opened.created;
					return opened.session;
				});
			};
			return enter(slot, ready, (session, lane) => work(session, created, lane));
		},
		create(id, client, fill, work) {
			const slot = slotOf(id);
			const open = async (): Promise<Session> => {
				await opener.write(id, fill);
				return opener.open(id, client);
			};
			return enter(slot, () => ensure(slot, client, open), work);
		},
		async close(id, client) {
			await notifyEnd(id, client);
			const slot = slotOf(id);
			await run(id, client, () => {
				slot.leaving = true;
			});
			await slot.closing;
		},
		async delete(id) {
			await notifyEnd(id);
			const slot = slotOf(id);
			slot.users++;
			const removed = slot.tail.then(() => remove(slot));
			slot.tail = removed.catch(() => undefined);
			try {
				await removed;
			} finally {
				recentlyUsed().delete(id);
				slot.users--;
				removeUnused(slot);
			}
		},
		list,
		open: () => [...slots.values()].flatMap(({ session }) => session ?? []),
		onEnd: (listener) => void endListeners.push(listener),
		async closeIdle(count) {
			const idle = [...recentlyUsed().rkeys()].filter(isIdle).slice(0, count);
			for (const id of idle) recentlyUsed().delete(id);
			await Promise.all(idle.map(closeUnused));
		},
		async closeAll() {
			const all = [...slots.values()];
			slots.clear();
			const reason = new Failure('SessionClosed', 'the daemon is stopping and has closed its sessions');
			for (const { session } of all) if (session) stopCompacting(session, reason);
			await Promise.all(all.map((slot) => slot.session?.reader.close() ?? slot.closing));
		},
	};
}
