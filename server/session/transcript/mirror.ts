/**
 * A session that mirrors a transcript.
 *
 * A transcript may grow, be rewound, compacted or replaced, be read again, and have messages rewritten. One procedure
 * handles all of these: the common beginning stays, the rest of the session is cut off, and the rest of the transcript is
 * appended. Rows never change: a message that grew after it was stored is cut off and appended again.
 */

import { Failure } from '../../core/failure.ts';
import {
	applyEvent,
	countSkipped,
	emptyOutline,
	entriesUpTo,
	type Outline,
	type SkippedFigures,
	titleOf,
} from '../../core/transcript/outline.ts';
import type { RecordedRequest } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import {
	minTailUnits,
	needsSkipped,
	skipCompacted,
	skipOld,
	skippedFigures,
	skipRewound,
	unstoredUnits,
} from '../../core/transcript/skipPrefix.ts';
import type { Counting, ImportStart } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import { type Session, writable } from '../session.ts';
import { openSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';
import { alignSession, cutSession, recordFigures, storeEntries } from './align.ts';
import { type MirroredEntry, mirroredEntries } from './mirrored.ts';
import type { NewestModel, TranscriptChunk } from './reader.ts';
import { recordRequest } from './requestParts.ts';

export interface MirrorOptions {
	/** The client on whose behalf the session is updated. */
	client(): ClientContext;
	sessionId: string;
	/** The agent that writes the transcript. */
	agent: string;
	/** Identifies the transcript. */
	path: string;
	/** The agent's own settings for its context, in a folder. */
	settingsOf(folder: string | undefined): AgentSettings;
	/** The last model of the transcript, if known before all of it is read. */
	newestModel?: NewestModel;
	/** The session's folder as a URI, if the caller knows better than the transcript. */
	workspace?: string;
	/** Whether a session of another conversation may be brought in line with this one. */
	mayReplace: boolean;
	/** Which messages are counted by the estimator. */
	counting: Counting;
	/** Where a new session begins. */
	from: ImportStart;
	uriOf(folder: string): string | undefined;
}

export interface Mirror {
	/**
	 * Processes a chunk of the transcript, and stores entries if many are pending.
	 *
	 * Returns false if the skipped beginning is needed: the caller must revert everything and read from the start.
	 */
	apply(batch: TranscriptChunk): Promise<boolean>;
	/** Stores what is pending, after everything was read: the session then equals the transcript. */
	settle(): Promise<void>;
	/**
	 * Removes what was stored since the mirror was created; deletes a session that the mirror created.
	 *
	 * A session that was cut meanwhile stays as it is then: the beginning of the transcript.
	 */
	revert(): Promise<void>;
	/** Number of skipped records, by type. */
	skipped(): ReadonlyMap<string, number>;
}

/** Maximum age of cached settings. Milliseconds. */
const maxSettingsAgeMs = 30_000;
/** Maximum bytes of a transcript that are pending in memory. */
const maxPendingBytes = 1 << 20;
/** Maximum pending bytes while the part that the session already holds is read again. */
const maxPendingCatchUpBytes = 16 << 20;
/** Maximum pending characters if the session begins with what may still be in the window. */
const maxPendingChars = 4 * minTailUnits;
/** Maximum number of newest entries that wait because an answer among them may still grow. */
const maxTailEntries = 64;

/** Creates a mirror for a new or existing session; what the session already holds is not stored again. */
export async function createMirror(store: SessionStore, options: MirrorOptions): Promise<Mirror> {
	const { sessionId, agent: source, path: transcript, client } = options;
	const existing = await findExisting(store, client(), sessionId);
	let mirrored = existing?.entries;
	const wasThere = existing !== undefined;
	const mirroredBefore = mirrored?.length ?? 0;
	/** Number of earlier entries that were never cut off. */
	let untouched = mirroredBefore;
	let isThere = wasThere;
	/** Whether the session holds more than was read so far, from an earlier reading. */
	let catchingUp = isThere;
	// A session that began late in this transcript is replaced by one from its start.
	let mayReplace =
		options.mayReplace || (existing?.isBegunLate === true && existing.transcript === transcript);
	let outline = emptyOutline();
	let pendingBytes = 0;
	/** Bytes since the last search for entries that left the window. */
	let unsearchedBytes = 0;
	const isFromWindow = options.from === 'window' && !wasThere;
	let storedInfo = '';
	let storedRequest: RecordedRequest | undefined;

	const held = (): MirroredEntry[] => {
		mirrored ??= [];
		return mirrored;
	};

	let settings: { at: number; value: AgentSettings } | undefined;
	/** Cached for a while: users change settings, but not with every message. */
	const settingsNow = (folder: string | undefined): AgentSettings | undefined => {
		const at = store.world.now();
		if (settings === undefined || at - settings.at > maxSettingsAgeMs)
			settings = { at, value: options.settingsOf(folder) };
		const { value } = settings;
		const isSet = Object.keys(value.settings).length + Object.keys(value.environment).length > 0;
		return isSet ? value : undefined;
	};

	const storeInfo = async (isEnd: boolean): Promise<void> => {
		const { contextWindow: statedWindow, cwd } = outline.info;
		// What is stored before the end is counted for the model that is last in the transcript.
		const { provider, model } = isEnd ? outline.info : { ...outline.info, ...options.newestModel };
		const title = titleOf(outline);
		const workspace = options.workspace ?? (cwd === undefined ? undefined : options.uriOf(cwd));
		// A change of model recounts everything, so it is stored once, when the last model is known.
		const agentSettings = settingsNow(cwd);
		const reader = isEnd || !isThere ? { provider, model, statedWindow, agentSettings } : {};
		const passed = skippedFigures(outline);
		const info = { sessionId, source, transcript, workspace, title, passed, ...reader };
		const text = JSON.stringify(info);
		if (text === storedInfo && isThere) return;
		await openSession(store, client(), info);
		isThere = true;
		storedInfo = text;
	};

	/** Stores the request before the messages whose figures include it. */
	const storeRequest = async (): Promise<void> => {
		const { request } = outline.info;
		if (request === undefined || request === storedRequest) return;
		storedRequest = request;
		await recordRequest(store, client(), sessionId, request);
	};

	const refuseOther = (): void => {
		if (mayReplace || held().length === 0 || outline.unchanged > 0) return;
		throw new Failure(
			'InvalidParams',
			`sessionId: expected a new session or one of this transcript, but "${sessionId}" holds another conversation`,
			{ sessionId },
		);
	};

	/** Stores all entries but the last `tail`. At the end of the transcript, also cuts off the rest of the session. */
	const bringInLine = async (tail: number, isEnd: boolean): Promise<void> => {
		const entries = held();
		const upTo = outline.entries.length - tail;
		// Entries that were skipped while catching up may have newer usage figures.
		const from = catchingUp ? 0 : outline.unchanged;
		alignSession(store.world, outline, entries);
		if (isEnd) refuseOther();
		await storeInfo(isEnd);
		await storeRequest();
		await store.run(sessionId, client(), async (session) => {
			writable(session);
			await recordFigures(session, client(), outline, from);
			const differs = outline.unchanged < upTo || (isEnd && outline.unchanged < entries.length);
			if (!differs) return;
			untouched = Math.min(untouched, outline.unchanged);
			await cutSession(session, outline.unchanged, entries);
			await storeEntries(session, outline, entries, { client: client(), upTo, counting: options.counting });
		});
		mayReplace = true;
		catchingUp = false;
		pendingBytes = 0;
	};

	/** Skips pending entries that left the window; false if there are none, or they cannot be skipped. */
	const skip = async (pass: typeof skipOld): Promise<boolean> => {
		const stored = isThere ? await store.run(sessionId, client(), figuresOf) : undefined;
		if (!pass(outline, stored)) return false;
		if (isThere) await store.delete(sessionId);
		isThere = false;
		mirrored = undefined;
		storedRequest = undefined;
		pendingBytes = 0;
		return true;
	};

	/** Like `storeSome`, for a session that begins within the window. The search costs O(pending), every now and then. */
	const skipOrStoreSome = async (bytes: number): Promise<void> => {
		unsearchedBytes += bytes;
		if (unsearchedBytes < minTailUnits) return;
		unsearchedBytes = 0;
		if (await skip(skipOld)) return;
		if (pendingBytes < maxPendingChars || unstoredUnits(outline) < maxPendingChars) return;
		await bringInLine(growingTail(outline), false);
	};

	/** Stores pending entries before a rewind hides them, so that they are not lost. */
	const storeRewound = async (toMessageId: string | null): Promise<void> => {
		const count = entriesUpTo(outline, toMessageId);
		if (count === undefined || catchingUp || outline.entries.length === outline.unchanged) return;
		if (!isFromWindow || !skipRewound(outline, count)) await bringInLine(0, false);
	};

	const storeSome = async (): Promise<void> => {
		if (pendingBytes < maxPendingBytes) return;
		if (catchingUp) {
			alignSession(store.world, outline, held());
			if (outline.unchanged === outline.entries.length) {
				pendingBytes = 0;
				return;
			}
			if (pendingBytes < maxPendingCatchUpBytes) return;
			refuseOther();
		}
		await bringInLine(growingTail(outline), false);
	};

	return {
		async apply({ events, startsOver, bytes, badLines }) {
			if (startsOver) {
				outline = emptyOutline();
				pendingBytes = 0;
				catchingUp = held().length > 0;
			}
			for (const event of events) {
				// This compaction also hides what the previous one hid.
				if (isFromWindow && event.t === 'compaction') await skip(skipCompacted);
				if (needsSkipped(outline, event)) return false;
				if (event.t === 'rewind') await storeRewound(event.toMessageId);
				applyEvent(outline, event);
			}
			if (badLines > 0) countSkipped(outline, 'invalid JSON', badLines);
			pendingBytes += bytes;
			await (isFromWindow ? skipOrStoreSome(bytes) : storeSome());
			return true;
		},
		async settle() {
			if (isFromWindow) await skip(skipOld);
			await bringInLine(0, true);
		},
		async revert() {
			if (wasThere && untouched === mirroredBefore) {
				await store.run(sessionId, client(), (session) => cutSession(session, mirroredBefore, held()));
			} else if (!wasThere && isThere) await store.delete(sessionId);
		},
		skipped: () => outline.skipped,
	};
}

/** An existing session, with its mirrored entries. */
interface ExistingSession {
	entries: MirroredEntry[];
	transcript?: string;
	/** Whether the session skips the beginning of its transcript. */
	isBegunLate: boolean;
}

async function findExisting(
	store: SessionStore,
	client: ClientContext,
	sessionId: string,
): Promise<ExistingSession | undefined> {
	try {
		return await store.run(sessionId, client, ({ state }) => ({
			entries: mirroredEntries(state),
			transcript: state.info.transcript,
			isBegunLate: state.info.passed !== undefined,
		}));
	} catch (error) {
		if (error instanceof Failure && error.kind === 'SessionNotFound') return undefined;
		throw error;
	}
}

/** Usage figures of a session that a later one must retain. */
function figuresOf({ state }: Session): SkippedFigures {
	return { answered: state.answered, standing: state.meter.other.tokens };
}

/** Number of newest entries that wait because an answer among them may still grow. */
function growingTail({ entries }: Outline): number {
	const last = entries.findLastIndex((entry) => entry.t === 'message' && entry.isAnswer);
	const tail = last < 0 ? 0 : entries.length - last;
	return tail > maxTailEntries ? 0 : tail;
}
