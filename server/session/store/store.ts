/**
 * The sessions that are open, at most so many at once: one that has not been asked for long is closed, and comes
 * back from its journal unnoticed.
 */

import { LRUCache } from 'lru-cache';
import { Failure } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import { type BodyCache, createBodyCache } from '../body.ts';
import type { Call } from '../holders.ts';
import { createLane, type Lane } from '../order.ts';
import type { Journal, StoredRecord } from '../ports.ts';
import { createReadingKeeper, dropReading, type ReadingKeeper } from '../readings.ts';
import { remeasure } from '../remeasure.ts';
import { type Session, stopCompacting, writable } from '../session.ts';
import { inSlices } from '../slices.ts';
import type { World } from '../world.ts';
import { createListing } from './listing.ts';
import { createOpener, type FollowedAs, type Opener } from './opener.ts';
import { newPlace, type SessionPlace } from './place.ts';
import { createSharing, noLane } from './sharing.ts';

/** What is done with a session. */
export type Work<T> = (session: Session, lane: Lane) => T | Promise<T>;

/** What is done with a session that is opened. */
export interface OpeningWork<T> {
	(session: Session, created: boolean, lane: Lane): T | Promise<T>;
	/** The answer where nothing has to be written for it. */
	known?(session: Session): T | undefined;
}

export interface SessionStore {
	readonly world: World;
	/**
	 * Hands a session to `work`, opening it where it is not open. Calls for one session start in the order in
	 * which they were made, each before the next; what they wait for later does not hold up the others, unless
	 * they hold the lane.
	 */
	run<T>(sessionId: string, work: Work<T>): Promise<T>;
	/**
	 * As `run`, for work that writes: where another process holds the session, the call is handed to it, and its answer
	 * is the result. The work has to give what the call is answered with.
	 */
	write<T>(sessionId: string, call: Call, work: Work<T>): Promise<T>;
	/**
	 * As `run`, creating the session where there is none, and taking over one that was only followed. Where another
	 * process holds it and a call is given, that is handed on, unless `known` has an answer to it already.
	 */
	runOrCreate<T>(info: SessionInfo, work: OpeningWork<T>, call?: Call): Promise<T>;
	/**
	 * As `run`, of a session whose records `fill` writes. If it fails, there is no such session. `fill` is not called if the
	 * session is open.
	 */
	create<T>(sessionId: string, fill: (journal: Journal) => Promise<void>, work: Work<T>): Promise<T>;
	/** As `run`, following the session's journal, and only that: nothing is written. */
	runReadOnly<T>(sessionId: string, work: Work<T>): Promise<T>;
	/** As `run`, following the session's journal as long as nothing is written. */
	runShared<T>(sessionId: string, work: Work<T>): Promise<T>;
	/** Lets a session go, once those who use it are done. */
	close(sessionId: string): Promise<void>;
	/** Removes a session for good; calls behind this one find none. Where another process holds it, that one does so. */
	delete(sessionId: string, call?: Call): Promise<void>;
	/** Sessions that this process holds. */
	held(): Session[];
	/** Every stored session, or those that are wanted, newest first; what cannot be read is left out. */
	list(wanted?: ListParams): Promise<SessionSummary[]>;
	/** Sessions that are open now. */
	open(): Session[];
	/** Calls back when a session is about to leave memory. */
	onLeave(listener: (session: Session) => void): void;
	/** Calls back when another process has written a record to a session that is followed here, once it is applied. */
	onFollowed(listener: (session: Session, record: StoredRecord) => void): void;
	/** Calls back, and waits for it, before a session is closed or deleted because somebody asked for it. */
	onEnd(listener: (sessionId: string) => Promise<void>): void;
	closeAll(): Promise<void>;
}

/** Runs `work`; what a session that was deleted meanwhile makes it stumble over is told as that. */
async function attempt<T>(session: Session, lane: Lane, work: Work<T>): Promise<T> {
	try {
		return await work(session, lane);
	} catch (error) {
		throw session.broken?.kind === 'SessionNotFound' ? session.broken : error;
	}
}

/** The sessions of a world. Its settings are read at first use, when the client has had its say. */
export function createSessionStore(world: World): SessionStore {
	let bodies: BodyCache | null | undefined;
	let recent: LRUCache<string, true> | undefined;
	const places = new Map<string, SessionPlace>();
	const keepers = new Set<ReadingKeeper>();
	/** Sessions that were opened to follow another process: they come back in the same way. */
	const followed = new Map<string, FollowedAs>();
	const opener: Opener = createOpener(world, {
		followed,
		bodies: bodyCache,
		readings: () => createReadingKeeper(keepers),
		stayOpen: (id, work) => inUse(id, work),
		forget,
		isAskable: (error) => sharing.isAskable(error),
		heard(session, record) {
			world.events.changed(session.id);
			for (const listener of followListeners) listener(session, record);
		},
	});
	const { reopen, follow } = opener;
	const sharing = createSharing(world, { hold: opener.hold, share: (id) => follow(id, 'shared'), replace });
	const leaveListeners: ((session: Session) => void)[] = [];
	const followListeners: ((session: Session, record: StoredRecord) => void)[] = [];
	const endListeners: ((sessionId: string) => Promise<void>)[] = [];

	const list = createListing(world, (id) => {
		const session = places.get(id)?.session;
		// One whose write failed knows of messages that are nowhere else.
		return session?.broken ? undefined : session?.state;
	});

	function bodyCache(): BodyCache | null {
		if (bodies === undefined) bodies = createBodyCache(world.settings().storage.cacheBytes);
		return bodies;
	}

	function recentlyUsed(): LRUCache<string, true> {
		recent ??= new LRUCache<string, true>({
			max: world.settings().storage.maxSessions,
			dispose(_, id, reason) {
				if (reason === 'evict') letGoSoon(id);
			},
		});
		return recent;
	}

	function placeOf(id: string): SessionPlace {
		return getOrInsert(places, id, () => newPlace(id));
	}

	/** Closes a session that nobody uses; one in use is closed when its last user is done. */
	async function letGo(id: string): Promise<void> {
		const place = places.get(id);
		const session = place?.session;
		if (!place || !session || place.users > 0) return;
		for (const listener of leaveListeners) listener(session);
		place.session = undefined;
		place.leaving = false;
		dropReading(session.readings);
		world.files?.forget(session);
		place.closing = session.reader.close();
		try {
			await place.closing;
		} finally {
			place.closing = undefined;
			if (!place.session && place.users === 0 && places.get(id) === place) places.delete(id);
		}
	}

	function letGoSoon(id: string): void {
		letGo(id).catch((error) => world.log.error(`closing session "${id}": ${error}`));
	}

	/** Drops a session that is of no use any more; whoever asks next opens it anew. */
	async function forget(session: Session): Promise<void> {
		const place = places.get(session.id);
		if (place?.session === session) place.session = undefined;
		dropReading(session.readings);
		world.files?.forget(session);
		try {
			await session.reader.close();
		} catch (error) {
			// Why it is dropped was told already: that it does not close well is no news.
			world.log.debug(`closing session "${session.id}": ${error}`);
		}
	}

	/** The open session, or the one that `opener` opens. */
	async function ensure(place: SessionPlace, opener: () => Promise<Session>): Promise<Session> {
		await place.closing;
		if (place.session?.broken) await forget(place.session);
		place.session ??= await opener();
		place.leaving = false;
		const { session } = place;
		if (world.files) await inSlices(world.files.takeIn(session), world);
		const { provider, model } = session.state.info;
		const { estimator } = world.settings();
		await world.measures.ready(provider, model, estimator);
		// Another estimator was set, or an older version of the daemon counted.
		if (session.journal) await remeasure(session);
		return session;
	}

	/** Puts another session in the place of one that is of no use for writing, and makes it ready. */
	async function replace(place: SessionPlace, session: Session): Promise<Session> {
		const before = place.session;
		place.session = session;
		if (before && before !== session) {
			dropReading(before.readings);
			world.files?.forget(before);
			// Whoever reads from it is not done yet.
			void Promise.allSettled([...place.calls]).then(() =>
				before.reader.close().catch((error) => world.log.debug(`closing session "${place.id}": ${error}`)),
			);
		}
		return ensure(place, () => Promise.resolve(session));
	}

	/** Reads from a session, after all that was written to it before. */
	async function readShared<T>(place: SessionPlace, session: Session, lane: Lane, work: Work<T>): Promise<T> {
		lane.hold();
		const result = attempt(await sharing.caughtUp(place, session), noLane, work);
		lane.release();
		return result;
	}

	function enter<T>(id: string, opener: () => Promise<Session>, work: Work<T>): Promise<T> {
		const place = placeOf(id);
		const lane = createLane();
		const started = place.tail.then(() => ensure(place, opener));
		const result = started.then((session) => attempt(session, lane, work));
		result.then(lane.release, lane.release);
		// Registered behind `work`: the next one starts when this one has run up to its first wait.
		place.tail = started.then(
			() => lane.held,
			() => undefined,
		);
		return inUse(id, result);
	}

	/** Keeps the session open until `work` is settled. */
	function inUse<T>(id: string, work: Promise<T>): Promise<T> {
		const place = placeOf(id);
		place.users++;
		place.calls.add(work);
		const settled = (): void => {
			place.users--;
			place.calls.delete(work);
			if (place.session) recentlyUsed().set(id, true);
			else if (place.users === 0 && !place.closing && places.get(id) === place) places.delete(id);
			if (place.users === 0 && place.leaving) {
				recentlyUsed().delete(id);
				letGoSoon(id);
			}
		};
		work.then(settled, settled);
		return work;
	}

	async function ending(id: string): Promise<void> {
		for (const listener of endListeners) await listener(id);
	}

	async function remove(place: SessionPlace, id: string, call?: Call): Promise<void> {
		await place.closing;
		const { session } = place;
		if (session && !session.journal && !session.isShared) writable(session);
		place.session = undefined;
		if (session) {
			dropReading(session.readings);
			world.files?.forget(session);
			session.broken = new Failure('SessionNotFound', `session "${id}" was deleted`, { sessionId: id });
			stopCompacting(session, session.broken);
			await session.reader.close();
		}
		await sharing.removeJournal(id, call);
	}

	/** Writes to a session as its calls come; one that has to be handed on again comes when its holder is known. */
	function carryOut<T>(session: Session, lane: Lane, call: Call, work: Work<T>): Promise<T> {
		return sharing.carryOut(placeOf(session.id), session, call, (held) => attempt(held, lane, work));
	}

	/** Opens a session for writing that was only followed. */
	async function takeOver(session: Session): Promise<Session> {
		const held = await opener.hold(session.id);
		followed.delete(session.id);
		return replace(placeOf(session.id), held);
	}

	return {
		world,
		run: (id, work) =>
			enter(
				id,
				() => reopen(id),
				(session, lane) =>
					session.isShared ? readShared(placeOf(id), session, lane, work) : work(session, lane),
			),
		write: (id, call, work) =>
			enter(
				id,
				() => reopen(id),
				(session, lane) => carryOut(session, lane, call, work),
			),
		runOrCreate(info, work, call) {
			const { sessionId } = info;
			let created = false;
			const open = async (): Promise<Session> => {
				try {
					const opened = await opener.holdOrCreate(info);
					created = opened.created;
					return opened.session;
				} catch (error) {
					if (call && sharing.isAskable(error)) return follow(sessionId, 'shared');
					throw error;
				}
			};
			return enter(sessionId, open, async (session, lane) => {
				if (session.journal) return work(session, created, lane);
				if (!call || !session.isShared) {
					lane.hold();
					return work(await takeOver(session), false, lane);
				}
				const known = await readShared(placeOf(sessionId), session, lane, (now) => work.known?.(now));
				return known ?? carryOut(session, noLane, call, (held, own) => work(held, false, own));
			});
		},
		create(id, fill, work) {
			const open = async (): Promise<Session> => {
				await opener.write(id, fill);
				return opener.hold(id);
			};
			return enter(id, open, work);
		},
		runReadOnly(id, work) {
			return enter(
				id,
				() => {
					followed.set(id, 'readOnly');
					return follow(id, 'readOnly');
				},
				work,
			);
		},
		runShared(id, work) {
			const open = (): Promise<Session> => {
				followed.set(id, followed.get(id) ?? 'shared');
				return reopen(id);
			};
			return enter(id, open, (session, lane) =>
				session.isShared ? readShared(placeOf(id), session, lane, work) : work(session, lane),
			);
		},
		async close(id) {
			await ending(id);
			const place = placeOf(id);
			await enter(
				id,
				() => reopen(id),
				() => {
					followed.delete(id);
					place.leaving = true;
				},
			);
			await place.closing;
		},
		async delete(id, call) {
			await ending(id);
			const place = placeOf(id);
			place.users++;
			const removed = place.tail.then(() => remove(place, id, call));
			place.tail = removed.catch(() => undefined);
			try {
				await removed;
			} finally {
				recentlyUsed().delete(id);
				place.users--;
				if (!place.session && place.users === 0 && places.get(id) === place) places.delete(id);
			}
		},
		held: () => [...places.values()].flatMap(({ session }) => (session?.journal ? [session] : [])),
		open: () => [...places.values()].flatMap((place) => (place.session ? [place.session] : [])),
		async list(wanted) {
			const shared = [...places.values()].filter(({ session }) => session?.isShared);
			await Promise.allSettled(
				shared.map((place) => place.session && sharing.caughtUp(place, place.session)),
			);
			return list(wanted);
		},
		onEnd: (listener) => void endListeners.push(listener),
		onFollowed: (listener) => void followListeners.push(listener),
		onLeave: (listener) => void leaveListeners.push(listener),
		async closeAll() {
			const all = [...places.values()];
			places.clear();
			const reason = new Failure('SessionClosed', 'the daemon ends and has closed its sessions');
			for (const { session } of all) if (session) stopCompacting(session, reason);
			await Promise.all(all.map((place) => place.session?.reader.close() ?? place.closing));
		},
	};
}
