/**
 * Keeps a session equal to a transcript.
 *
 * A transcript may grow, be rewound, compacted, replaced or read again, and its messages may be rewritten. One procedure
 * handles all of this: the common beginning stays, the rest of the session is cut off, and the rest of the transcript is
 * appended. A message that grew after it was stored is cut off and appended again, since rows never change.
 */

import { Failure } from '../../core/failure.ts';
import {
	type AgentSettings,
	applyEvent,
	collectSkippedFigures,
	countEntriesUpTo,
	countSkippedRecord,
	createOutline,
	estimateUnstoredUnits,
	findTitle,
	minTailUnits,
	needsSkippedPrefix,
	type Outline,
	type RecordedRequest,
	type SkippedFigures,
	skipCompactedEntries,
	skipOldEntries,
	skipRewoundEntries,
} from '../../core/transcript/index.ts';
import type { Counting, ImportStart } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import { requireWritableJournal, type Session } from '../session.ts';
import { openSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';
import { alignSession, cutSession, recordLateFigures, storeEntries } from './align.ts';
import { listMirroredEntries, type MirroredEntry } from './mirrored.ts';
import type { NewestModel, TranscriptChunk } from './reader.ts';
import { recordRequest } from './requestParts.ts';

export interface MirrorOptions {
	/** The client on whose behalf the session is updated. */
	getClient(): ClientContext;
	sessionId: string;
	/** The agent that writes the transcript. */
	agent: string;
	/** Path of the transcript, which identifies it. */
	path: string;
	/** Returns the agent's own context settings that apply in a folder. */
	readAgentSettings(folder: string | undefined): AgentSettings;
	/** The model of the transcript's last answer, if known before the whole transcript is read. */
	newestModel?: NewestModel;
	/** The session's folder as a URI, if the caller knows better than the transcript. */
	workspace?: string;
	/** Whether a session with another conversation may be overwritten. */
	canReplace: boolean;
	/** Which messages are counted exactly: all, or only those after the newest usage figure. */
	counting: Counting;
	/** Where in the transcript a new session begins. */
	from: ImportStart;
	toFolderUri(folder: string): string | undefined;
}

/** Maximum age of cached settings. Milliseconds. */
const maxSettingsAgeMs = 30_000;
/** Maximum bytes of a transcript that are held in memory before they are stored. */
const maxPendingBytes = 1 << 20;
/** Maximum bytes held in memory while the part that the session already has is read again. */
const maxPendingCatchUpBytes = 16 << 20;
/** Maximum characters held in memory for a session that begins within the window. */
const maxPendingChars = 4 * minTailUnits;
/** Maximum number of newest entries that are not stored yet because an answer among them may still grow. */
const maxTailEntries = 64;

/** The newest stored description and request of a transcript. */
interface StoredInfo {
	/** JSON of the description; empty until this mirror stores it. */
	text: string;
	request?: RecordedRequest;
}

/**
 * Keeps a session equal to a transcript. Entries that the session already has are not stored again.
 *
 * - `#entries` are the session's entries. Its first `unchangedCount` entries equal those of the transcript.
 * - While catching up, the session may have entries that were not read yet, from an earlier import. Until the mirror
 *   stores something, a session with another conversation is refused unless it may be replaced.
 * - A session that begins within the window is deleted, and begun again later, if its messages left the window.
 */
export class Mirror {
	readonly #store: SessionStore;
	readonly #options: MirrorOptions;
	/** Number of entries that the session had before; undefined if there was no session. */
	readonly #countBefore: number | undefined;
	readonly #isFromWindow: boolean;
	#entries: MirroredEntry[];
	/** The stored description; undefined while there is no session. */
	#stored: StoredInfo | undefined;
	#isCatchingUp: boolean;
	#canReplace: boolean;
	/** Whether entries that the session had before were cut off. */
	#wasCut = false;
	#outline = createOutline();
	#pendingBytes = 0;
	/** Bytes read since the last search for entries that left the window. */
	#unskippedBytes = 0;
	#settings: { at: number; value: AgentSettings } | undefined;

	/** Creates a mirror for a new or existing session. */
	static async open(store: SessionStore, options: MirrorOptions): Promise<Mirror> {
		return new Mirror(store, options, await findExisting(store, options.getClient(), options.sessionId));
	}

	private constructor(store: SessionStore, options: MirrorOptions, existing: ExistingSession | undefined) {
		this.#store = store;
		this.#options = options;
		this.#entries = existing?.entries ?? [];
		this.#countBefore = existing?.entries.length;
		this.#stored = existing && { text: '' };
		this.#isCatchingUp = existing !== undefined;
		this.#isFromWindow = options.from === 'window' && !existing;
		// A session that skipped the beginning of this transcript is replaced by a session from the start.
		this.#canReplace =
			options.canReplace || (existing?.hasSkippedBeginning === true && existing.transcript === options.path);
	}

	/** Number of skipped records, by type. */
	get skipped(): ReadonlyMap<string, number> {
		return this.#outline.skippedCounts;
	}

	/**
	 * Processes a chunk of the transcript, and stores entries if there are many.
	 *
	 * Returns false if the skipped beginning is needed: the caller must then call `revert` and read from the start.
	 */
	async apply({ events, isRestart, bytes, badLineCount }: TranscriptChunk): Promise<boolean> {
		if (isRestart) {
			this.#outline = createOutline();
			this.#pendingBytes = 0;
			this.#isCatchingUp = this.#entries.length > 0;
		}
		for (const event of events) {
			// Messages that were hidden before this compaction stay hidden, and need not be stored.
			if (this.#isFromWindow && event.t === 'compaction') await this.#skipEntries(skipCompactedEntries);
			if (needsSkippedPrefix(this.#outline, event)) return false;
			if (event.t === 'rewind') await this.#storeRewound(event.toMessageId);
			applyEvent(this.#outline, event);
		}
		if (badLineCount > 0) countSkippedRecord(this.#outline, 'invalid JSON', badLineCount);
		this.#pendingBytes += bytes;
		await (this.#isFromWindow ? this.#skipOrStoreSome(bytes) : this.#storeSome());
		return true;
	}

	/** Stores the remaining entries after the whole transcript was read: the session then equals the transcript. */
	async settle(): Promise<void> {
		if (this.#isFromWindow) await this.#skipEntries(skipOldEntries);
		await this.#syncEntries(0, true);
	}

	/**
	 * Removes everything that was stored since the mirror was created; deletes a session that the mirror created.
	 *
	 * Does nothing if entries of an earlier import were cut off: the session then equals the start of the transcript.
	 */
	async revert(): Promise<void> {
		const { sessionId, getClient } = this.#options;
		const count = this.#countBefore;
		if (count === undefined) {
			if (this.#stored) await this.#store.delete(sessionId);
		} else if (!this.#wasCut) {
			await this.#store.run(sessionId, getClient(), (session) => cutSession(session, count, this.#entries));
		}
	}

	async #storeSome(): Promise<void> {
		if (this.#pendingBytes < maxPendingBytes) return;
		if (this.#isCatchingUp) {
			alignSession(this.#store.services, this.#outline, this.#entries);
			if (this.#outline.unchangedCount === this.#outline.entries.length) {
				this.#pendingBytes = 0;
				return;
			}
			if (this.#pendingBytes < maxPendingCatchUpBytes) return;
			this.#refuseOtherConversation();
		}
		await this.#syncEntries(countGrowingTail(this.#outline), false);
	}

	/** For a session that begins within the window: skips entries that left the window, or stores some, once there are many. */
	async #skipOrStoreSome(bytes: number): Promise<void> {
		this.#unskippedBytes += bytes;
		if (this.#unskippedBytes < minTailUnits) return;
		this.#unskippedBytes = 0;
		if (await this.#skipEntries(skipOldEntries)) return;
		if (this.#pendingBytes < maxPendingChars || estimateUnstoredUnits(this.#outline) < maxPendingChars)
			return;
		await this.#syncEntries(countGrowingTail(this.#outline), false);
	}

	/** Skips entries that left the window; false if there are none, or if they cannot be skipped. */
	async #skipEntries(skip: typeof skipOldEntries): Promise<boolean> {
		const { sessionId, getClient } = this.#options;
		const figures = this.#stored
			? await this.#store.run(sessionId, getClient(), selectRetainedFigures)
			: undefined;
		if (!skip(this.#outline, figures)) return false;
		if (this.#stored) await this.#store.delete(sessionId);
		this.#stored = undefined;
		this.#entries = [];
		this.#pendingBytes = 0;
		return true;
	}

	/** Stores entries before a rewind hides them, so that they are not lost. */
	async #storeRewound(toMessageId: string | null): Promise<void> {
		const { entries, unchangedCount } = this.#outline;
		const count = countEntriesUpTo(this.#outline, toMessageId);
		if (count === undefined || this.#isCatchingUp || entries.length === unchangedCount) return;
		if (!this.#isFromWindow || !skipRewoundEntries(this.#outline, count)) await this.#syncEntries(0, false);
	}

	/** Stores all entries but the last `tail`. At the end of the transcript, also cuts off the session's other entries. */
	async #syncEntries(tail: number, isEnd: boolean): Promise<void> {
		const { sessionId, getClient, counting } = this.#options;
		const outline = this.#outline;
		const entries = this.#entries;
		const upTo = outline.entries.length - tail;
		// While catching up, entries that the session has may get newer usage figures.
		const from = this.#isCatchingUp ? 0 : outline.unchangedCount;
		alignSession(this.#store.services, outline, entries);
		if (isEnd) this.#refuseOtherConversation();
		await this.#storeInfo(isEnd);
		await this.#storeRequest();
		await this.#store.run(sessionId, getClient(), async (session) => {
			requireWritableJournal(session);
			await recordLateFigures(session, getClient(), outline, from);
			const isDifferent = outline.unchangedCount < upTo || (isEnd && outline.unchangedCount < entries.length);
			if (!isDifferent) return;
			if (outline.unchangedCount < (this.#countBefore ?? 0)) this.#wasCut = true;
			await cutSession(session, outline.unchangedCount, entries);
			await storeEntries(session, outline, entries, { client: getClient(), upTo, counting });
		});
		this.#canReplace = true;
		this.#isCatchingUp = false;
		this.#pendingBytes = 0;
	}

	#refuseOtherConversation(): void {
		if (this.#canReplace || this.#entries.length === 0 || this.#outline.unchangedCount > 0) return;
		const { sessionId } = this.#options;
		throw new Failure(
			'InvalidParams',
			`sessionId: expected a new session or one of this transcript, but "${sessionId}" holds another conversation`,
			{ sessionId },
		);
	}

	async #storeInfo(isEnd: boolean): Promise<void> {
		const { sessionId, agent: source, path: transcript, newestModel, getClient, toFolderUri } = this.#options;
		const { info } = this.#outline;
		// Before the end is reached, messages are counted for the transcript's newest model.
		const { provider, model } = isEnd ? info : { ...info, ...newestModel };
		const { contextWindow: statedWindow, cwd } = info;
		const title = findTitle(this.#outline);
		const workspace = this.#options.workspace ?? (cwd === undefined ? undefined : toFolderUri(cwd));
		const agentSettings = this.#readFreshSettings(cwd);
		// Each change of model recounts all messages, so the model is stored only on opening and at the transcript's end.
		const modelInfo = isEnd || !this.#stored ? { provider, model, statedWindow, agentSettings } : {};
		const passed = collectSkippedFigures(this.#outline);
		const description = { sessionId, source, transcript, workspace, title, passed, ...modelInfo };
		const text = JSON.stringify(description);
		if (text === this.#stored?.text) return;
		await openSession(this.#store, getClient(), description);
		this.#stored = { ...this.#stored, text };
	}

	/**
	 * Stores the system prompt and the tools of the newest request.
	 *
	 * Must run before the messages are stored, because the token usage of messages includes both.
	 */
	async #storeRequest(): Promise<void> {
		const { request } = this.#outline.info;
		if (request === undefined || !this.#stored || request === this.#stored.request) return;
		this.#stored.request = request;
		await recordRequest(this.#store, this.#options.getClient(), this.#options.sessionId, request);
	}

	/** Returns the agent's own settings, read again every 30 s since users may change them; undefined if there are none. */
	#readFreshSettings(folder: string | undefined): AgentSettings | undefined {
		const at = this.#store.services.now();
		if (this.#settings === undefined || at - this.#settings.at > maxSettingsAgeMs)
			this.#settings = { at, value: this.#options.readAgentSettings(folder) };
		const { value } = this.#settings;
		const isSet = Object.keys(value.settings).length + Object.keys(value.environment).length > 0;
		return isSet ? value : undefined;
	}
}

/** A session that existed before the import, with its entries of the transcript. */
interface ExistingSession {
	entries: MirroredEntry[];
	transcript?: string;
	/** Whether the session skips the beginning of its transcript. */
	hasSkippedBeginning: boolean;
}

async function findExisting(
	store: SessionStore,
	client: ClientContext,
	sessionId: string,
): Promise<ExistingSession | undefined> {
	try {
		return await store.run(sessionId, client, ({ state }) => ({
			entries: listMirroredEntries(state),
			transcript: state.info.transcript,
			hasSkippedBeginning: state.info.passed !== undefined,
		}));
	} catch (error) {
		if (error instanceof Failure && error.kind === 'SessionNotFound') return undefined;
		throw error;
	}
}

/** Returns the usage figures that survive when a session is deleted and begun again. */
function selectRetainedFigures({ state }: Session): SkippedFigures {
	return { answered: state.answeredTokens, standing: state.meter.other.tokens };
}

/** Counts the newest entries that are not stored yet because an answer among them may still grow. */
function countGrowingTail({ entries }: Outline): number {
	const last = entries.findLastIndex((entry) => entry.t === 'message' && entry.isAnswer);
	const tail = last < 0 ? 0 : entries.length - last;
	return tail > maxTailEntries ? 0 : tail;
}
