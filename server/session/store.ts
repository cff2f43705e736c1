/**
 * The sessions that are open, at most so many at once: one that has not been asked for long is closed, and comes
 * back from its journal unnoticed.
 */

import { LRUCache } from 'lru-cache';
import { Failure } from '../core/failure.ts';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord, SessionInfo } from '../core/history/record.ts';
import { emptyState, type State } from '../core/history/state.ts';
import { type BodyCache, createBodyCache } from './bodies.ts';
import type { Journal, StoredRecord } from './ports.ts';
import { commit, type Session } from './session.ts';
import type { World } from './world.ts';

export interface SessionStore {
	world: World;
	bodies: BodyCache | null;
	/**
	 * Hands a session to `work`, opening it where it is not open. Calls for one session start in the order in
	 * which they were made, each before the next; what they wait for later does not hold up the others.
	 */
	run<T>(sessionId: string, work: (session: Session) => T | Promise<T>): Promise<T>;
	/** As `run`, creating the session where there is none. */
	runOrCreate<T>(info: SessionInfo, work: (session: Session, created: boolean) => T | Promise<T>): Promise<T>;
	/** As `run`, following the session's journal where another process holds it. */
	runReadOnly<T>(sessionId: string, work: (session: Session) => T | Promise<T>): Promise<T>;
	/** Lets a session go, once those who use it are done. */
	close(sessionId: string): Promise<void>;
	delete(sessionId: string): Promise<void>;
	/** Sessions that are open now. */
	open(): Session[];
	closeAll(): Promise<void>;
}

/** Whose rules hold where a session does not say. */
export const defaultProvider = 'openai';

/** What is going on with one session id. */
interface Place {
	/** Resolves when everything that was asked before has started. */
	tail: Promise<unknown>;
	session?: Session;
	/** Calls that are not settled. */
	users: number;
	closing?: Promise<void>;
}

function isRecord(value: unknown): value is JournalRecord {
	return typeof value === 'object' && value !== null && 't' in value;
}

function unknownInfo(sessionId: string, createdAt: number): SessionInfo {
	return { sessionId, provider: defaultProvider, model: '', createdAt };
}

function takeRecord(state: State, { value, bodies }: StoredRecord): void {
	if (!isRecord(value)) throw new Failure('StorageFailed', 'the journal holds something that is no record');
	evolve(state, value, bodies);
}

export function createSessionStore(world: World): SessionStore {
	const bodies = createBodyCache(world.settings().storage.cacheBytes);
	const places = new Map<string, Place>();
	const recent = new LRUCache<string, true>({
		max: Math.max(1, world.settings().storage.maxSessions),
		dispose: (_, id) => void letGo(id).catch((error) => world.log.error(`closing ${id}: ${error}`)),
	});

	function placeOf(id: string): Place {
		const known = places.get(id);
		if (known) return known;
		const place: Place = { tail: Promise.resolve(), users: 0 };
		places.set(id, place);
		return place;
	}

	/** Closes a session that nobody uses; one in use is closed when its last user is done. */
	async function letGo(id: string): Promise<void> {
		const place = places.get(id);
		const session = place?.session;
		if (!place || !session || place.users > 0) return;
		place.session = undefined;
		place.closing = session.reader.close();
		await place.closing;
		place.closing = undefined;
		if (!place.session && place.users === 0 && places.get(id) === place) places.delete(id);
	}

	async function start(
		id: string,
		work: () => Promise<Journal | Session['reader']>,
		state: State,
	): Promise<Session> {
		const reader = await work();
		const journal = 'append' in reader ? reader : undefined;
		return { id, state, journal, reader, users: 0, recoveries: 0 };
	}

	async function openForWriting(id: string): Promise<Session> {
		const state = emptyState();
		const session = await start(
			id,
			() => world.journals.open(id, (record) => takeRecord(state, record)),
			state,
		);
		// A crash right after its creation leaves a journal without a record.
		if (state.version === 0) await begin(session, unknownInfo(id, world.now()));
		return session;
	}

	function follow(id: string): Promise<Session> {
		const state = emptyState();
		let live = false;
		const each = (record: StoredRecord): void => {
			takeRecord(state, record);
			if (live) world.events.changed(id);
		};
		const opening = start(
			id,
			() =>
				world.journals.follow(id, each, (reason) => {
					world.log.warn(`session "${id}" can be followed no more: ${reason}`);
					forget(id);
				}),
			state,
		);
		live = true;
		return opening;
	}

	async function create(info: SessionInfo): Promise<Session> {
		const state = emptyState();
		const session = await start(info.sessionId, () => world.journals.create(info.sessionId), state);
		await begin(session, info);
		return session;
	}

	async function begin(session: Session, info: SessionInfo): Promise<void> {
		const { estimator } = world.settings();
		await world.measures.ready(info.provider, info.model, estimator);
		const measure = world.measures.for(info.provider, info.model, estimator).key;
		await commit(world, session, { t: 'open', v: 1, info, measure });
	}

	function forget(id: string): void {
		const place = places.get(id);
		if (place) place.session = undefined;
	}

	/** The open session, or the one that `opener` opens. */
	async function ensure(place: Place, opener: () => Promise<Session>): Promise<Session> {
		await place.closing;
		if (place.session?.broken) {
			const broken = place.session;
			place.session = undefined;
			await broken.reader.close().catch((error) => world.log.debug(`closing a broken session: ${error}`));
		}
		if (!place.session) place.session = await opener();
		const { provider, model } = place.session.state.info;
		await world.measures.ready(provider, model, world.settings().estimator);
		return place.session;
	}

	function enter<T>(
		id: string,
		opener: () => Promise<Session>,
		work: (session: Session) => T | Promise<T>,
	): Promise<T> {
		const place = placeOf(id);
		place.users++;
		const started = place.tail.then(() => ensure(place, opener));
		const result = started.then(work);
		// Registered behind `work`: the next one starts when this one has run up to its first wait.
		place.tail = started.then(
			() => undefined,
			() => undefined,
		);
		const settled = (): void => {
			place.users--;
			if (place.session) recent.set(id, true);
			else if (place.users === 0 && places.get(id) === place) places.delete(id);
			if (place.users === 0 && place.session && !recent.has(id)) void letGo(id);
		};
		result.then(settled, settled);
		return result;
	}

	return {
		world,
		bodies,
		run: (id, work) => enter(id, () => openForWriting(id), work),
		runOrCreate(info, work) {
			let created = false;
			const opener = async (): Promise<Session> => {
				try {
					return await openForWriting(info.sessionId);
				} catch (error) {
					if (!(error instanceof Failure && error.kind === 'SessionNotFound')) throw error;
					created = true;
					return create(info);
				}
			};
			return enter(info.sessionId, opener, (session) => work(session, created));
		},
		runReadOnly: (id, work) => enter(id, () => follow(id), work),
		async close(id) {
			await enter(
				id,
				() => openForWriting(id),
				() => undefined,
			);
			recent.delete(id);
			await letGo(id);
		},
		async delete(id) {
			const place = places.get(id);
			if (place?.session) {
				recent.delete(id);
				const { session } = place;
				place.session = undefined;
				await session.reader.close();
			}
			places.delete(id);
			await world.journals.delete(id);
		},
		open: () => [...places.values()].flatMap((place) => (place.session ? [place.session] : [])),
		async closeAll() {
			const all = [...places.values()].flatMap((place) => (place.session ? [place.session] : []));
			places.clear();
			await Promise.all(all.map((session) => session.reader.close()));
		},
	};
}
