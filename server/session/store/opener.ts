/** Opens sessions for writing, or read-only if this process cannot write them. */

import { Failure } from '../../core/failure.ts';
import type { SessionInfo } from '../../core/history/record.ts';
import { createEmptyState, isUnfinishedFork, type State } from '../../core/history/state.ts';
import { defaultProvider } from '../../core/models/familyName.ts';
import type { SessionAnalysisCache } from '../analysisCache.ts';
import type { BodyCache } from '../body.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import type { Journal } from '../ports.ts';
import type { SessionServices } from '../services.ts';
import { createSession, type Session, type SessionInit } from '../session.ts';
import { createReplay } from './replay.ts';

/** The functions of the store that opening a session needs. */
export interface OpenerContext {
	/** Returns the cache of messages that all sessions share; null if caching is off. */
	getBodyCache(): BodyCache | null;
	/** Creates a session's cache for compactions. */
	createAnalysisCache(): SessionAnalysisCache;
	/** Keeps a session open until a task has settled. */
	keepOpen<T>(id: string, task: Promise<T>): Promise<T>;
}

/** Where a session's records are read from, and where new records are written. */
type StoredJournal = Pick<SessionInit, 'journal' | 'refusal' | 'reader'>;

/** Opens sessions from their journals. The caller owns each opened session and closes it. */
export class SessionOpener {
	readonly #services: SessionServices;
	readonly #context: OpenerContext;

	constructor(services: SessionServices, context: OpenerContext) {
		this.#services = services;
		this.#context = context;
	}

	/**
	 * Opens a stored session. Rejects with `SessionNotFound` and `StorageFailed`.
	 *
	 * The session is read-only if another process owns the state folder, or if the disk is write-protected or full;
	 * `Session.refusal` then says why.
	 */
	async open(id: string, client: ClientContext): Promise<Session> {
		try {
			return await this.#openToWrite(id, client);
		} catch (error) {
			const refusal = toReadOnlyFailure(id, error);
			if (!refusal) throw error;
			if (refusal !== error) this.#services.log.warn(refusal.message);
			const state = createEmptyState();
			const reader = await this.#services.journals.openReadOnly(id, createReplay(this.#services, id, state));
			if (!isUnfinishedFork(state)) return this.#createSession(id, state, client, { refusal, reader });
			await reader.close();
			throw createInterruptedForkFailure(id);
		}
	}

	/** Opens a stored session, or creates a missing one. Rejects with `SessionLocked` and `StorageFailed`. */
	async openOrCreate(
		info: SessionInfo,
		client: ClientContext,
	): Promise<{ session: Session; created: boolean }> {
		try {
			return { session: await this.open(info.sessionId, client), created: false };
		} catch (error) {
			if (!(error instanceof Failure) || error.kind !== 'SessionNotFound') throw error;
			return { session: await this.#create(info, client), created: true };
		}
	}

	/** Creates a journal whose records `fill` writes; removes it if `fill` fails. */
	async createJournal(id: string, fill: (journal: Journal) => Promise<void>): Promise<void> {
		const journal = await this.#services.journals.create(id);
		try {
			await fill(journal);
		} catch (error) {
			await journal.close();
			await this.#services.journals.delete(id);
			throw error;
		}
		await journal.close();
	}

	async #openToWrite(id: string, client: ClientContext): Promise<Session> {
		const state = createEmptyState();
		const journal = await this.#services.journals.open(id, createReplay(this.#services, id, state));
		if (isUnfinishedFork(state) && !journal.salvaged) {
			await journal.close();
			await this.#services.journals.delete(id);
			throw createInterruptedForkFailure(id);
		}
		const session = this.#createSession(id, state, client, { journal, reader: journal });
		// The first record is missing if the process crashed during creation, or if the file's beginning is damaged.
		if (state.info.sessionId === '') {
			const createdAt = this.#services.now();
			const info = { sessionId: id, provider: defaultProvider, model: '', createdAt };
			await this.#writeFirstRecord(session, journal, info);
		}
		return session;
	}

	async #create(info: SessionInfo, client: ClientContext): Promise<Session> {
		const journal = await this.#services.journals.create(info.sessionId);
		const session = this.#createSession(info.sessionId, createEmptyState(), client, {
			journal,
			reader: journal,
		});
		await this.#writeFirstRecord(session, journal, info);
		return session;
	}

	async #writeFirstRecord(session: Session, journal: Journal, info: SessionInfo): Promise<void> {
		const { measures, log } = this.#services;
		const estimator = session.getEstimator();
		await measures.load(info.provider, info.model, estimator);
		const measure = measures.getMeasure(info.provider, info.model, estimator).key;
		try {
			await commit(session, { t: 'open', v: 1, info, measure });
		} catch (error) {
			await journal.close().catch((other) => log.debug(`closing session "${session.id}": ${other}`));
			throw error;
		}
	}

	#createSession(id: string, state: State, client: ClientContext, stored: StoredJournal): Session {
		return createSession({
			id,
			state,
			services: this.#services,
			bodies: this.#context.getBodyCache(),
			analysisCache: this.#context.createAnalysisCache(),
			client,
			getEstimator: () => client.getSettings().estimator,
			...stored,
			runWhileOpen: (task) => this.#context.keepOpen(id, Promise.resolve().then(task)),
		});
	}
}

/** System errors of a write-protected or full disk. */
const unwritableCodes: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']);

/** Returns the error for later writes if an error still allows opening the session read-only; else undefined. */
function toReadOnlyFailure(sessionId: string, error: unknown): Failure | undefined {
	if (!(error instanceof Failure)) return undefined;
	if (error.kind === 'SessionLocked') return error;
	if (error.kind !== 'StorageFailed' || !unwritableCodes.has(String(error.data.code))) return undefined;
	return new Failure('ReadOnlySession', `session "${sessionId}" can only be read: ${error.message}`, {
		sessionId,
	});
}

function createInterruptedForkFailure(sessionId: string): Failure {
	return new Failure('SessionNotFound', `there is no session "${sessionId}": its fork was interrupted`, {
		sessionId,
	});
}
