/** Opens sessions for writing, or read-only if they cannot be written here. */

import { Failure } from '../../core/failure.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import { emptyState, isUnfinishedFork, type State } from '../../core/history/state.ts';
import { defaultProvider } from '../../core/models/familyName.ts';
import type { BodyCache } from '../body.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import type { Journal } from '../ports.ts';
import type { ReadingCache } from '../readingCache.ts';
import { createSession, type Session, type SessionSource } from '../session.ts';
import type { World } from '../world.ts';
import { createReplay } from './replay.ts';

/** What opening needs from the store. */
export interface OpenerContext {
	bodies(): BodyCache | null;
	/** Creates a session's cache for compactions. */
	readings(): ReadingCache;
	/** Keeps a session open until work is settled. */
	stayOpen<T>(id: string, work: Promise<T>): Promise<T>;
}

export interface Opener {
	/**
	 * Opens a stored session. Rejects with `SessionNotFound` and `StorageFailed`.
	 *
	 * It is read-only if another process owns the state folder, or if the disk is write-protected or full;
	 * `Session.refusal` then says why.
	 */
	open(id: string, client: ClientContext): Promise<Session>;
	/** Like `open`, but creates a missing session. Rejects with `SessionLocked` and `StorageFailed`. */
	openOrCreate(info: SessionInfo, client: ClientContext): Promise<{ session: Session; created: boolean }>;
	/** Creates a journal whose records `fill` writes; removes it if `fill` fails. */
	write(id: string, fill: (journal: Journal) => Promise<void>): Promise<void>;
}

/** Creates the opener for sessions of a world. */
export function createOpener(world: World, context: OpenerContext): Opener {
	function sessionOf(
		id: string,
		state: State,
		client: ClientContext,
		source: Pick<SessionSource, 'journal' | 'refusal' | 'reader'>,
	): Session {
		return createSession({
			id,
			state,
			world,
			bodies: context.bodies(),
			readings: context.readings(),
			client,
			estimator: () => client.settings().estimator,
			...source,
			stayOpen: (work) => context.stayOpen(id, Promise.resolve().then(work)),
		});
	}

	async function openToWrite(id: string, client: ClientContext): Promise<Session> {
		const state = emptyState();
		const journal = await world.journals.open(id, createReplay(world, id, state));
		if (isUnfinishedFork(state) && !journal.salvaged) {
			await journal.close();
			await world.journals.delete(id);
			throw interruptedFork(id);
		}
		const session = sessionOf(id, state, client, { journal, reader: journal });
		// The first record is missing after a crash during creation, or after damage at the beginning.
		if (state.info.sessionId === '') await begin(session, journal, unknownInfo(id, world.now()));
		return session;
	}

	async function open(id: string, client: ClientContext): Promise<Session> {
		try {
			return await openToWrite(id, client);
		} catch (error) {
			const refusal = refusalOf(id, error);
			if (!refusal) throw error;
			if (refusal !== error) world.log.warn(refusal.message);
			const state = emptyState();
			const reader = await world.journals.readOnly(id, createReplay(world, id, state));
			if (!isUnfinishedFork(state)) return sessionOf(id, state, client, { refusal, reader });
			await reader.close();
			throw interruptedFork(id);
		}
	}

	async function create(info: SessionInfo, client: ClientContext): Promise<Session> {
		const journal = await world.journals.create(info.sessionId);
		const session = sessionOf(info.sessionId, emptyState(), client, { journal, reader: journal });
		await begin(session, journal, info);
		return session;
	}

	async function begin(session: Session, journal: Journal, info: SessionInfo): Promise<void> {
		const estimator = session.estimator();
		await world.measures.ready(info.provider, info.model, estimator);
		const measure = world.measures.for(info.provider, info.model, estimator).key;
		try {
			await commit(session, { t: 'open', v: 1, info, measure });
		} catch (error) {
			await journal.close().catch((other) => world.log.debug(`closing session "${session.id}": ${other}`));
			throw error;
		}
	}

	return {
		open,
		async openOrCreate(info, client) {
			try {
				return { session: await open(info.sessionId, client), created: false };
			} catch (error) {
				if (!(error instanceof Failure) || error.kind !== 'SessionNotFound') throw error;
				return { session: await create(info, client), created: true };
			}
		},
		async write(id, fill) {
			const journal = await world.journals.create(id);
			try {
				await fill(journal);
			} catch (error) {
				await journal.close();
				await world.journals.delete(id);
				throw error;
			}
			await journal.close();
		},
	};
}

/** System errors of a write-protected or full disk. */
const unwritableCodes: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']);

/** The error of later writes if a session can at least be read; undefined if it cannot. */
function refusalOf(sessionId: string, error: unknown): Failure | undefined {
	if (!(error instanceof Failure)) return undefined;
	if (error.kind === 'SessionLocked') return error;
	if (error.kind !== 'StorageFailed' || !unwritableCodes.has(String(error.data.code))) return undefined;
	return new Failure('ReadOnlySession', `session "${sessionId}" can only be read: ${error.message}`, {
		sessionId,
	});
}

function interruptedFork(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session "${sessionId}": its fork was interrupted`, {
		sessionId,
	});
}

function unknownInfo(sessionId: string, createdAt: number): SessionInfo {
	return { sessionId, provider: defaultProvider, model: '', createdAt };
}
