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
	takeEvent,
	titleOf,
} from '../../core/transcript/outline.ts';
import {
	beyondAnyWindow,
	heldUnits,
	needsPassed,
	newestCompaction,
	passOver,
	unstoredUnits,
	windowStart,
} from '../../core/transcript/passOver.ts';
import type { ToldRequest, TranscriptEvent } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import type { Counting, ImportStart } from '../../protocol/transcript.ts';
import { openSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';
import { alignSession, cutSession, storeEntries, takeFigures } from './align.ts';
import { type MirroredEntry, mirroredEntries } from './mirrored.ts';
import type { NewestModel, TranscriptChunk } from './reader.ts';
import { takeRequest } from './toldRequest.ts';

export interface MirrorOptions {
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
/** Characters that may wait where a session begins with what may still be in the window: what is stored stays. */
const mostUnstored = 4 * beyondAnyWindow;
/** So many of the newest entries may wait for an answer that may still grow. */
const longestTail = 64;

/** A mirror for a session that is there or not; what it holds already of the transcript is not stored again. */
export async function createMirror(store: SessionStore, options: MirrorOptions): Promise<Mirror> {
	const { sessionId, agent: source, path: transcript } = options;
	let mirrored = await whatStands(store, sessionId);
	const wasThere = mirrored !== undefined;
	const mirroredBefore = mirrored?.length ?? 0;
	/** Entries of those that stood before which were never cut off. */
	let untouched = mirroredBefore;
	let isThere = wasThere;
	/** Where the session holds more than was read so far, from an earlier reading. */
	let catchingUp = isThere;
	let mayReplace = options.mayReplace;
	let outline = emptyOutline();
	let waiting = 0;
	/** Of a session that begins with what may still be in the window: characters that came since that was last looked for. */
	let unitsSince = 0;
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
		const { answered, standing } = outline.passed ?? {};
		const passed = answered === undefined || standing === undefined ? undefined : { answered, standing };
		const info = { sessionId, source, transcript, workspace, title, passed, ...reader };
		const text = JSON.stringify(info);
		if (text === told && isThere) return;
		await openSession(store, info);
		isThere = true;
		told = text;
	};

	/** Before the messages are stored whose figures cover it. */
	const tellRequest = async (): Promise<void> => {
		const { request } = outline.info;
		if (request === undefined || request === toldRequest) return;
		toldRequest = request;
		await takeRequest(store, sessionId, request);
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
		await store.run(sessionId, async (session) => {
			await takeFigures(session, outline, from);
			const parts = outline.unchanged < upTo || (isEnd && outline.unchanged < entries.length);
			if (!parts) return;
			untouched = Math.min(untouched, outline.unchanged);
			await cutSession(session, outline.unchanged, entries);
			await storeEntries(session, outline, entries, { upTo, counting: options.counting });
		});
		mayReplace = true;
		catchingUp = false;
		waiting = 0;
	};

	/** Begins the session at a place of the transcript, where all that stays is at hand. */
	const beginAt = async (place: number | undefined): Promise<void> => {
		if (place === undefined || !passOver(outline, place)) return;
		if (isThere) await store.delete(sessionId);
		isThere = false;
		mirrored = undefined;
		toldRequest = undefined;
	};

	/** What is in the window no more is passed over before it would be stored. */
	const passSome = async (events: readonly TranscriptEvent[]): Promise<void> => {
		for (const event of events) {
			if (event.t === 'message' || event.t === 'replace') unitsSince += heldUnits(event.message);
		}
		if (unitsSince < beyondAnyWindow) return;
		unitsSince = 0;
		await beginAt(windowStart(outline));
		if (unstoredUnits(outline) > mostUnstored) await bringInLine(growingTail(outline), false);
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
				if (isFromWindow && event.t === 'compaction') await beginAt(newestCompaction(outline));
				if (needsPassed(outline, event)) return false;
				// What is rewound is stored before it is cut off: it is hidden, not lost.
				const drops =
					event.t === 'rewind' && !isFromWindow && entriesUpTo(outline, event.toMessageId) !== undefined;
				if (drops && !catchingUp && outline.entries.length > held().length) await bringInLine(0, false);
				takeEvent(outline, event);
			}
			if (badLines > 0) countSkipped(outline, 'invalid JSON', badLines);
			waiting += bytes;
			await (isFromWindow ? passSome(events) : storeSome());
			return true;
		},
		async settle() {
			if (isFromWindow) await beginAt(windowStart(outline));
			await bringInLine(0, true);
		},
		async takeBack() {
			if (wasThere && untouched === mirroredBefore) {
				await store.run(sessionId, (session) => cutSession(session, mirroredBefore, held()));
			} else if (!wasThere && isThere) await store.delete(sessionId);
		},
		skipped: () => outline.skipped,
	};
}

async function whatStands(store: SessionStore, sessionId: string): Promise<MirroredEntry[] | undefined> {
	try {
		return await store.run(sessionId, ({ state }) => mirroredEntries(state));
	} catch (error) {
		if (error instanceof Failure && error.kind === 'SessionNotFound') return undefined;
		throw error;
	}
}

/** The newest entries that wait, because an answer among them may still grow. */
function growingTail({ entries }: Outline): number {
	const last = entries.findLastIndex((entry) => entry.t === 'message' && entry.isAnswer);
	const tail = last < 0 ? 0 : entries.length - last;
	return tail > longestTail ? 0 : tail;
}
