/**
 * A session that mirrors a transcript. Whatever happens to the transcript (it grows, a message of it is
 * rewritten, it is rewound, compacted, replaced, read again from its start), the session is brought in line in
 * one way: what both agree on from the start stays, the rest of the session is cut off, the rest of the
 * transcript appended. Rows never change: a message that grew after it was stored is cut off and appended again.
 */

import { Failure } from '../../core/failure.ts';
import {
	countSkipped,
	emptyOutline,
	entriesUpTo,
	type Outline,
	type PassedFigures,
	takeEvent,
	titleOf,
} from '../../core/transcript/outline.ts';
import {
	fewestUnits,
	needsPassed,
	passCompacted,
	passedFigures,
	passOld,
	passRewound,
	unstoredUnits,
} from '../../core/transcript/passOver.ts';
import type { ToldRequest } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import type { Counting, ImportStart } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import { type Session, writable } from '../session.ts';
import { openSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';
import { alignSession, cutSession, storeEntries, takeFigures } from './align.ts';
import { type MirroredEntry, mirroredEntries } from './mirrored.ts';
import type { NewestModel, TranscriptChunk } from './reader.ts';
import { takeRequest } from './toldRequest.ts';

export interface MirrorOptions {
	/** The client that the session is brought up to date for. */
	client(): ClientContext;
	sessionId: string;
	/** The agent that writes the transcript. */
	agent: string;
	/** What names the transcript. */
	path: string;
	/** What the agent's own settings say of its context, where it works in that folder. */
	settingsOf(folder: string | undefined): AgentSettings;
	/** Who answered last in the transcript, where that is known before all of it was read. */
	newestModel?: NewestModel;
	/** The session's folder as a URI, where the caller knows better than the transcript. */
	workspace?: string;
	/** Whether a session of another conversation may be brought in line with this one. */
	mayReplace: boolean;
	/** Which messages are counted as the estimator says. */
	counting: Counting;
	/** Where a session that is not there yet begins. */
	from: ImportStart;
	uriOf(folder: string): string | undefined;
}

export interface Mirror {
	/**
	 * Takes what one more piece of the transcript gave; stores some of it where much waits. Gives false where that needs
	 * what was passed over: then all is to be taken back, and read again from the start.
	 */
	take(batch: TranscriptChunk): Promise<boolean>;
	/** Everything was read: from now on the session is what the transcript is. */
	settle(): Promise<void>;
	/**
	 * What was stored since the mirror was made leaves the session again; a session that it made is deleted. A
	 * session of which something was cut off meanwhile stays as it is then: the beginning of the transcript.
	 */
	takeBack(): Promise<void>;
	/** How often each type of record was left out. */
	skipped(): ReadonlyMap<string, number>;
}

/** Milliseconds after which settings are looked at again. */
const settingsAge = 30_000;
/** Bytes of a transcript that may wait in memory to be stored. */
const mostWaiting = 1 << 20;
/** Bytes that may wait while what the session holds already is read again. */
const mostDoubtful = 16 << 20;
/** Characters that may wait where a session begins with what may still be in the window. */
const mostUnstored = 4 * fewestUnits;
/** So many of the newest entries may wait for an answer that may still grow. */
const longestTail = 64;

/** A mirror for a session that is there or not; what it holds already of the transcript is not stored again. */
export async function createMirror(store: SessionStore, options: MirrorOptions): Promise<Mirror> {
	const { sessionId, agent: source, path: transcript, client } = options;
	const stands = await whatStands(store, client(), sessionId);
	let mirrored = stands?.entries;
	const wasThere = stands !== undefined;
	const mirroredBefore = mirrored?.length ?? 0;
	/** Entries of those that stood before which were never cut off. */
	let untouched = mirroredBefore;
	let isThere = wasThere;
	/** Where the session holds more than was read so far, from an earlier reading. */
	let catchingUp = isThere;
	// What began late in this transcript begins at its start from now on.
	let mayReplace = options.mayReplace || (stands?.isBegunLate === true && stands.transcript === transcript);
	let outline = emptyOutline();
	let waiting = 0;
	/** Bytes that came since what is in the window no more was last looked for. */
	let unlooked = 0;
	const isFromWindow = options.from === 'window' && !wasThere;
	let told = '';
	let toldRequest: ToldRequest | undefined;

	const held = (): MirroredEntry[] => {
		mirrored ??= [];
		return mirrored;
	};

	let settings: { at: number; value: AgentSettings } | undefined;
	/** Looked at again after a while: people change them, but not with every message. */
	const settingsNow = (folder: string | undefined): AgentSettings | undefined => {
		const at = store.world.now();
		if (settings === undefined || at - settings.at > settingsAge)
			settings = { at, value: options.settingsOf(folder) };
		const { value } = settings;
		const isSet = Object.keys(value.settings).length + Object.keys(value.environment).length > 0;
		return isSet ? value : undefined;
	};

	const tellInfo = async (isEnd: boolean): Promise<void> => {
		const { contextWindow: statedWindow, cwd } = outline.info;
		// What is stored before the end is reached is counted as for the model that stands there.
		const { provider, model } = isEnd ? outline.info : { ...outline.info, ...options.newestModel };
		const title = titleOf(outline);
		const workspace = options.workspace ?? (cwd === undefined ? undefined : options.uriOf(cwd));
		// For another model all that is stored is counted anew: once, when it is known which one is the last.
		const agentSettings = settingsNow(cwd);
		const reader = isEnd || !isThere ? { provider, model, statedWindow, agentSettings } : {};
		const passed = passedFigures(outline);
		const info = { sessionId, source, transcript, workspace, title, passed, ...reader };
		const text = JSON.stringify(info);
		if (text === told && isThere) return;
		await openSession(store, client(), info);
		isThere = true;
		told = text;
	};

	/** Before the messages are stored whose figures cover it. */
	const tellRequest = async (): Promise<void> => {
		const { request } = outline.info;
		if (request === undefined || request === toldRequest) return;
		toldRequest = request;
		await takeRequest(store, client(), sessionId, request);
	};

	const refuseOther = (): void => {
		if (mayReplace || held().length === 0 || outline.unchanged > 0) return;
		throw new Failure(
			'InvalidParams',
			`sessionId: expected a new session, or one of this transcript, got "${sessionId}", which holds another conversation`,
			{ sessionId },
		);
	};

	/** Stores all entries but the last `tail`; where the transcript ends there, the session ends there too. */
	const bringInLine = async (tail: number, isEnd: boolean): Promise<void> => {
		const entries = held();
		const upTo = outline.entries.length - tail;
		// What was passed while catching up may have got other figures since.
		const from = catchingUp ? 0 : outline.unchanged;
		alignSession(store.world, outline, entries);
		if (isEnd) refuseOther();
		await tellInfo(isEnd);
		await tellRequest();
		await store.run(sessionId, client(), async (session) => {
			writable(session);
			await takeFigures(session, client(), outline, from);
			const parts = outline.unchanged < upTo || (isEnd && outline.unchanged < entries.length);
			if (!parts) return;
			untouched = Math.min(untouched, outline.unchanged);
			await cutSession(session, outline.unchanged, entries);
			await storeEntries(session, outline, entries, { client: client(), upTo, counting: options.counting });
		});
		mayReplace = true;
		catchingUp = false;
		waiting = 0;
	};

	/** Passes over what is in the window no more, before it would be stored; false where nothing is, or cannot be. */
	const passOver = async (pass: typeof passOld): Promise<boolean> => {
		const stored = isThere ? await store.run(sessionId, client(), figuresOf) : undefined;
		if (!pass(outline, stored)) return false;
		if (isThere) await store.delete(sessionId);
		isThere = false;
		mirrored = undefined;
		toldRequest = undefined;
		waiting = 0;
		return true;
	};

	/** As `storeSome`, of a session that begins with what may still be in the window. Costs by what waits, now and then. */
	const passSome = async (bytes: number): Promise<void> => {
		unlooked += bytes;
		if (unlooked < fewestUnits) return;
		unlooked = 0;
		if (await passOver(passOld)) return;
		if (waiting < mostUnstored || unstoredUnits(outline) < mostUnstored) return;
		await bringInLine(growingTail(outline), false);
	};

	/** What is rewound is stored before it is cut off: it is hidden, not lost. */
	const keepRewound = async (toMessageId: string | null): Promise<void> => {
		const count = entriesUpTo(outline, toMessageId);
		if (count === undefined || catchingUp || outline.entries.length === outline.unchanged) return;
		if (!isFromWindow || !passRewound(outline, count)) await bringInLine(0, false);
	};

	const storeSome = async (): Promise<void> => {
		if (waiting < mostWaiting) return;
		if (catchingUp) {
			alignSession(store.world, outline, held());
			if (outline.unchanged === outline.entries.length) {
				waiting = 0;
				return;
			}
			if (waiting < mostDoubtful) return;
			refuseOther();
		}
		await bringInLine(growingTail(outline), false);
	};

	return {
		async take({ events, startsOver, bytes, badLines }) {
			if (startsOver) {
				outline = emptyOutline();
				waiting = 0;
				catchingUp = held().length > 0;
			}
			for (const event of events) {
				// What the compaction before this one hid, this one hides all the more.
				if (isFromWindow && event.t === 'compaction') await passOver(passCompacted);
				if (needsPassed(outline, event)) return false;
				if (event.t === 'rewind') await keepRewound(event.toMessageId);
				takeEvent(outline, event);
			}
			if (badLines > 0) countSkipped(outline, 'invalid JSON', badLines);
			waiting += bytes;
			await (isFromWindow ? passSome(bytes) : storeSome());
			return true;
		},
		async settle() {
			if (isFromWindow) await passOver(passOld);
			await bringInLine(0, true);
		},
		async takeBack() {
			if (wasThere && untouched === mirroredBefore) {
				await store.run(sessionId, client(), (session) => cutSession(session, mirroredBefore, held()));
			} else if (!wasThere && isThere) await store.delete(sessionId);
		},
		skipped: () => outline.skipped,
	};
}

/** A session that was there, as it mirrors a transcript. */
interface Standing {
	entries: MirroredEntry[];
	transcript?: string;
	/** Whether it passes over the beginning of its transcript. */
	isBegunLate: boolean;
}

async function whatStands(
	store: SessionStore,
	client: ClientContext,
	sessionId: string,
): Promise<Standing | undefined> {
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

/** What the figures of a session told. */
function figuresOf({ state }: Session): PassedFigures {
	return { answered: state.answered, standing: state.meter.other.tokens };
}

/** The newest entries that wait, because an answer among them may still grow. */
function growingTail({ entries }: Outline): number {
	const last = entries.findLastIndex((entry) => entry.t === 'message' && entry.isAnswer);
	const tail = last < 0 ? 0 : entries.length - last;
	return tail > longestTail ? 0 : tail;
}
