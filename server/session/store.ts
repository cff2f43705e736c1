/**
 * The sessions that are open, at most so many at once: one that has not been asked for long is closed, and comes
 * back from its journal unnoticed.
 */

import { LRUCache } from 'lru-cache';
import { Failure } from '../core/failure.ts';
import type { SessionInfo } from '../core/history/record.ts';
import { emptyState, type State } from '../core/history/state.ts';
import { defaultProvider } from '../core/models/familyName.ts';
import type { SessionSummary } from '../protocol/session.ts';
import { type BodyCache, createBodyCache } from './body.ts';
import { commit } from './commit.ts';
import { createListing } from './listing.ts';
import { createLane, type Lane } from './order.ts';
import type { FollowEnd, FollowedJournal, Journal, StoredRecord } from './ports.ts';
import { createKeeper, dropReading, type ReadingKeeper } from './readings.ts';
import { remeasure } from './remeasure.ts';
import { createReplay } from './replay.ts';
import { createSession, type Session, writable } from './session.ts';
import type { World } from './world.ts';

/** What is done with a session. */
export type Work<T> = (session: Session, lane: Lane) => T | Promise<T>;

export interface SessionStore {
	readonly world: World;
	/**
	 * Hands a session to `work`, opening it where it is not open. Calls for one session start in the order in
	 * which they were made, each before the next; what they wait for later does not hold up the others, unless
	 * they hold the lane.
	 */
	run<T>(sessionId: string, work: Work<T>): Promise<T>;
	/** As `run`, creating the session where there is none, and taking over one that was only followed. */
	runOrCreate<T>(
		info: SessionInfo,
		work: (session: Session, created: boolean, lane: Lane) => T | Promise<T>,
	): Promise<T>;
	/** As `run`, following the session's journal where another process holds it. */
	runReadOnly<T>(sessionId: string, work: Work<T>): Promise<T>;
	/** Lets a session go, once those who use it are done. */
	close(sessionId: string): Promise<void>;
	/** Removes a session for good; calls behind this one find none. */
	delete(sessionId: string): Promise<void>;
	/** Every stored session, of one workspace where it is named, newest first; what cannot be read is left out. */
	list(workspace?: string): Promise<SessionSummary[]>;
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

/** What is going on with one session id. */
interface Place {
	/** Resolves when everything that was asked before has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls that are not settled. */
	users: number;
	/** It was asked to be closed while it was in use. */
	leaving: boolean;
	closing?: Promise<void>;
}

/** Whether a session cannot be opened for writing because its folder is not to be written to. */
function isWriteProtected(error: unknown): error is Failure {
	if (!(error instanceof Failure) || error.kind !== 'StorageFailed') return false;
	return ['EROFS', 'EACCES', 'EPERM'].includes(String(error.data.code));
}

function unknownInfo(sessionId: string, createdAt: number): SessionInfo {
	return { sessionId, provider: defaultProvider, model: '', createdAt };
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
	const places = new Map<string, Place>();
	const keepers = new Set<ReadingKeeper>();
	/** Sessions that were opened to follow another process: they come back in the same way. */
	const followed = new Set<string>();
	const leaveListeners: ((session: Session) => void)[] = [];
	const followListeners: ((session: Session, record: StoredRecord) => void)[] = [];
	const endListeners: ((sessionId: string) => Promise<void>)[] = [];

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

	function placeOf(id: string): Place {
		const known = places.get(id);
		if (known) return known;
		const place: Place = { tail: Promise.resolve(), users: 0, leaving: false };
		places.set(id, place);
		return place;
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

	function sessionOver(id: string, state: State, reader: Journal | FollowedJournal): Session {
		const journal = 'append' in reader ? reader : undefined;
		const stayOpen = <T>(work: () => Promise<T>): Promise<T> => inUse(id, Promise.resolve().then(work));
		const readings = createKeeper(keepers);
		return createSession({ id, state, world, bodies: bodyCache(), readings, journal, reader, stayOpen });
	}

	async function openForWriting(id: string): Promise<Session> {
		const state = emptyState();
		const { take, mend } = createReplay(world, id, state);
		const journal = await world.journals.open(id, take, mend);
		const session = sessionOver(id, state, journal);
		// A crash right after its creation leaves a journal without a record, damage one without its beginning.
		if (state.info.sessionId === '') await begin(session, unknownInfo(id, world.now()));
		return session;
	}

	async function follow(id: string): Promise<Session> {
		const state = emptyState();
		let live = false;
		const { take, mend } = createReplay(world, id, state);
		const each = (record: StoredRecord): void => {
			take(record);
			if (!live) return;
			world.events.changed(id);
			for (const listener of followListeners) listener(session, record);
		};
		const ended = (reason: FollowEnd): void => {
			world.log.warn(`session "${id}" can be followed no more: ${reason}`);
			void forget(session);
		};
		const journal = await world.journals.follow(id, each, ended, mend);
		const session = sessionOver(id, state, journal);
		live = true;
		followed.add(id);
		return session;
	}

	/** A session that nothing can be written to, as on a read-only file system, can still be read. */
	async function reopen(id: string): Promise<Session> {
		if (followed.has(id)) return follow(id);
		try {
			return await openForWriting(id);
		} catch (error) {
			if (!isWriteProtected(error)) throw error;
			world.log.warn(`session "${id}" is only read: ${error.message}`);
			return follow(id);
		}
	}

	async function create(info: SessionInfo): Promise<Session> {
		const journal = await world.journals.create(info.sessionId);
		const session = sessionOver(info.sessionId, emptyState(), journal);
		await begin(session, info);
		return session;
	}

	async function begin(session: Session, info: SessionInfo): Promise<void> {
		const { estimator } = world.settings();
		await world.measures.ready(info.provider, info.model, estimator);
		const measure = world.measures.for(info.provider, info.model, estimator).key;
		try {
			await commit(session, { t: 'open', v: 1, info, measure });
		} catch (error) {
			await forget(session);
			throw error;
		}
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
	async function ensure(place: Place, opener: () => Promise<Session>): Promise<Session> {
		await place.closing;
		if (place.session?.broken) await forget(place.session);
		place.session ??= await opener();
		place.leaving = false;
		const { session } = place;
		world.files?.sync(session);
		const { provider, model } = session.state.info;
		const { estimator } = world.settings();
		await world.measures.ready(provider, model, estimator);
		// Another estimator was set, or an older version of the daemon counted.
		if (session.journal) await remeasure(session);
		return session;
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
		const settled = (): void => {
			place.users--;
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

	async function remove(place: Place, id: string): Promise<void> {
		await place.closing;
		const { session } = place;
		if (session && !session.journal) writable(session);
		place.session = undefined;
		if (session) {
			dropReading(session.readings);
			world.files?.forget(session);
			session.broken = new Failure('SessionNotFound', `session "${id}" was deleted`, { sessionId: id });
			session.compacting.close(session.broken);
			await session.reader.close();
		}
		await world.journals.delete(id);
	}

	return {
		world,
		run: (id, work) => enter(id, () => reopen(id), work),
		runOrCreate(info, work) {
			const { sessionId } = info;
			let created = false;
			const opener = async (): Promise<Session> => {
				try {
					return await openForWriting(sessionId);
				} catch (error) {
					if (!(error instanceof Failure && error.kind === 'SessionNotFound')) throw error;
					created = true;
					followed.delete(sessionId);
					return create(info);
				}
			};
			return enter(sessionId, opener, async (session, lane) => {
				if (session.journal) return work(session, created, lane);
				lane.hold();
				const held = await openForWriting(sessionId);
				followed.delete(sessionId);
				placeOf(sessionId).session = held;
				world.files?.forget(session);
				world.files?.sync(held);
				await session.reader.close();
				return work(held, false, lane);
			});
		},
		runReadOnly: (id, work) => enter(id, () => follow(id), work),
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
		async delete(id) {
			await ending(id);
			const place = placeOf(id);
			place.users++;
			const removed = place.tail.then(() => remove(place, id));
			place.tail = removed.catch(() => undefined);
			try {
				await removed;
			} finally {
				recentlyUsed().delete(id);
				place.users--;
				if (!place.session && place.users === 0 && places.get(id) === place) places.delete(id);
			}
		},
		open: () => [...places.values()].flatMap((place) => (place.session ? [place.session] : [])),
		list: createListing(world, (id) => places.get(id)?.session?.state),
		onEnd: (listener) => void endListeners.push(listener),
		onFollowed: (listener) => void followListeners.push(listener),
		onLeave: (listener) => void leaveListeners.push(listener),
		async closeAll() {
			const all = [...places.values()];
			places.clear();
			const reason = new Failure('SessionClosed', 'the daemon ends and has closed its sessions');
			for (const { session } of all) session?.compacting.close(reason);
			await Promise.all(all.map((place) => place.session?.reader.close() ?? place.closing));
		},
	};
}
