/** How sessions are opened: to be written to, or only read where another process holds them. */

import { Failure } from '../../core/failure.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import { emptyState, isUnfinishedFork, type State } from '../../core/history/state.ts';
import { defaultProvider } from '../../core/models/familyName.ts';
import type { BodyCache } from '../body.ts';
import { commit } from '../commit.ts';
import type { FollowEnd, FollowedJournal, Journal, StoredRecord } from '../ports.ts';
import type { ReadingKeeper } from '../readings.ts';
import { createSession, type Session } from '../session.ts';
import type { World } from '../world.ts';
import { createReplay } from './replay.ts';

/** How a session is opened that is not to be taken for writing: another process may be asked to write, or nobody is. */
export type FollowedAs = 'shared' | 'readOnly';

/** What opening needs of the store. */
export interface OpenerContext {
	/** Sessions that were opened to follow another process: they come back in the same way. */
	followed: Map<string, FollowedAs>;
	bodies(): BodyCache | null;
	/** What keeps what is read of a session's messages. */
	readings(): ReadingKeeper;
	/** Keeps a session open until work is settled. */
	stayOpen<T>(id: string, work: Promise<T>): Promise<T>;
	/** Drops a session that is of no use any more. */
	forget(session: Session): Promise<void>;
	/** As of `Sharing`. */
	isAskable(error: unknown): boolean;
	/** Another process has written a record, and it is applied. */
	heard(session: Session, record: StoredRecord): void;
}

export interface Opener {
	/** Opens a session for writing; rejects with `SessionNotFound`, `SessionLocked` and `StorageFailed`. */
	hold(id: string): Promise<Session>;
	/** As `hold`, of a session that is created where there is none: another process may do so at the same moment. */
	holdOrCreate(info: SessionInfo): Promise<{ session: Session; created: boolean }>;
	/** Creates a journal whose records `fill` writes; removes it if that fails. */
	write(id: string, fill: (journal: Journal) => Promise<void>): Promise<void>;
	/** Opens a session to read what another process writes. */
	follow(id: string, kind: FollowedAs): Promise<Session>;
	/**
	 * The session as it can be had: to be written to, or where another process holds it or its folder is write-protected,
	 * to be read.
	 */
	reopen(id: string): Promise<Session>;
}

/** Opens the sessions of a world. */
export function createOpener(world: World, context: OpenerContext): Opener {
	const { followed } = context;

	function sessionOver(
		id: string,
		state: State,
		reader: Journal | FollowedJournal,
		isShared?: boolean,
	): Session {
		const journal = 'append' in reader ? reader : undefined;
		const stayOpen = <T>(work: () => Promise<T>): Promise<T> =>
			context.stayOpen(id, Promise.resolve().then(work));
		return createSession({
			id,
			state,
			world,
			bodies: context.bodies(),
			readings: context.readings(),
			journal,
			isShared,
			reader,
			stayOpen,
		});
	}

	async function hold(id: string): Promise<Session> {
		const state = emptyState();
		const { take, mend } = createReplay(world, id, state);
		const journal = await world.journals.open(id, take, mend);
		if (isUnfinishedFork(state) && !journal.salvaged) {
			await journal.close();
			await world.journals.delete(id);
			throw new Failure('SessionNotFound', `there is no session "${id}": its fork was interrupted`, {
				sessionId: id,
			});
		}
		const session = sessionOver(id, state, journal);
		// A crash right after its creation leaves a journal without a record, damage one without its beginning.
		if (state.info.sessionId === '') await begin(session, unknownInfo(id, world.now()));
		return session;
	}

	async function write(id: string, fill: (journal: Journal) => Promise<void>): Promise<void> {
		const journal = await world.journals.create(id);
		try {
			await fill(journal);
		} catch (error) {
			await journal.close();
			await world.journals.delete(id);
			throw error;
		}
		await journal.close();
	}

	async function follow(id: string, kind: FollowedAs): Promise<Session> {
		const state = emptyState();
		let live = false;
		const { take, mend } = createReplay(world, id, state);
		const each = (record: StoredRecord): void => {
			take(record);
			if (!live) return;
			context.heard(session, record);
		};
		const ended = (reason: FollowEnd): void => {
			world.log.warn(`session "${id}" can be followed no more: ${reason}`);
			void context.forget(session);
		};
		const journal = await world.journals.follow(id, each, ended, mend);
		const session = sessionOver(id, state, journal, kind === 'shared');
		live = true;
		return session;
	}

	async function reopen(id: string): Promise<Session> {
		const kind = followed.get(id);
		if (kind) return follow(id, kind);
		try {
			return await hold(id);
		} catch (error) {
			if (context.isAskable(error)) return follow(id, 'shared');
			if (!isWriteProtected(error)) throw error;
			world.log.warn(`session "${id}" is only read: ${error.message}`);
			const session = await follow(id, 'readOnly');
			// Only now: where it cannot be read either, it may be written to as soon as it can be had.
			followed.set(id, 'readOnly');
			return session;
		}
	}

	async function holdOrCreate(info: SessionInfo): Promise<{ session: Session; created: boolean }> {
		const { sessionId } = info;
		for (let attempt = 1; ; attempt++) {
			try {
				return { session: await hold(sessionId), created: false };
			} catch (error) {
				if (!isNotFound(error)) throw error;
			}
			followed.delete(sessionId);
			const journal = await createdJournal(sessionId, attempt);
			if (journal) return { session: await create(info, journal), created: true };
		}
	}

	/** A new journal; undefined where another process has just made it. */
	async function createdJournal(sessionId: string, attempt: number): Promise<Journal | undefined> {
		try {
			return await world.journals.create(sessionId);
		} catch (error) {
			if (attempt === creationAttempts || !(await world.journals.has(sessionId))) throw error;
			return undefined;
		}
	}

	async function create(info: SessionInfo, journal: Journal): Promise<Session> {
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
			await context.forget(session);
			throw error;
		}
	}

	return { hold, holdOrCreate, write, follow, reopen };
}

/** Whether a session cannot be opened for writing because its folder is not to be written to. */
function isWriteProtected(error: unknown): error is Failure {
	if (!(error instanceof Failure) || error.kind !== 'StorageFailed') return false;
	return ['EROFS', 'EACCES', 'EPERM'].includes(String(error.data.code));
}

function unknownInfo(sessionId: string, createdAt: number): SessionInfo {
	return { sessionId, provider: defaultProvider, model: '', createdAt };
}

function isNotFound(error: unknown): boolean {
	return error instanceof Failure && error.kind === 'SessionNotFound';
}

/** How often a session is looked for anew that another process creates at the same moment. */
const creationAttempts = 3;
