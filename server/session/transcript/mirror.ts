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
import type { ToldRequest } from '../../core/transcript/reading/events.ts';
import type { AgentSettings } from '../../core/transcript/reading/limit.ts';
import type { DetailPart, StatsDetails } from '../../protocol/stats.ts';
import type { Counting } from '../../protocol/transcript.ts';
import { reportUsage } from '../append.ts';
import { commit } from '../commit.ts';
import { openSession, updateSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';
import { alignSession, cutSession, storeEntries, takeFigures } from './align.ts';
import { type MirroredEntry, mirroredEntries } from './mirrored.ts';
import type { NewestModel, TranscriptChunk } from './reader.ts';

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
	uriOf(folder: string): string | undefined;
}

export interface Mirror {
	/** Takes what one more piece of the transcript gave; stores some of it where much waits. */
	take(batch: TranscriptChunk): Promise<void>;
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
		const info = { sessionId, source, transcript, workspace, title, ...reader };
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
				// What is rewound is stored before it is cut off: it is hidden, not lost.
				const drops = event.t === 'rewind' && entriesUpTo(outline, event.toMessageId) !== undefined;
				if (drops && !catchingUp && outline.entries.length > held().length) await bringInLine(0, false);
				takeEvent(outline, event);
			}
			if (badLines > 0) countSkipped(outline, 'invalid JSON', badLines);
			waiting += bytes;
			await storeSome();
		},
		settle: () => bringInLine(0, true),
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

/** Of a request's digest: enough to tell it from the one before. */
const keyLength = 16;

/** Takes what the requests hold beside the messages, and what that is made of; nothing where it is known already. */
async function takeRequest(store: SessionStore, sessionId: string, request: ToldRequest): Promise<void> {
	const { world } = store;
	const key = world.digest(JSON.stringify(request)).slice(0, keyLength);
	const isKnown = await store.run(sessionId, ({ state }) => state.info.told?.key === key);
	if (isKnown) return;
	await updateSession(store, {
		sessionId,
		request: {
			systemPrompt: request.systemPrompt.map(({ text }) => text).join('\n'),
			toolDefinitions: request.tools.flatMap(({ definitions }) => definitions),
		},
	});
	await store.run(sessionId, async (session) => {
		const { provider, model } = session.state.info;
		const measure = world.measures.for(provider, model, world.settings().estimator);
		const textTokens = (text: string): number => measure.countRequest({ systemPrompt: text }).systemPrompt;
		const parts: Required<StatsDetails> = {
			systemPrompt: joined(
				request.systemPrompt.map(({ name, text }) => ({ name, tokens: textTokens(text) })),
			),
			toolDefinitions: joined(
				request.tools.map(({ name, definitions }) => ({
					name,
					tokens: measure.countRequest({ toolDefinitions: definitions }).toolDefinitions,
				})),
			),
			other: joined(request.other.map(({ name, text }) => ({ name, tokens: textTokens(text) }))),
		};
		await commit(session, { t: 'set', change: { told: { key, parts } } });
		// The newest figure covered it all along: the meter is anchored anew, with what it is made of.
		const anchor = session.state.rows[session.state.meter.anchor?.seq ?? -1];
		if (anchor?.usage && session.state.meter.anchor?.void === false) {
			await reportUsage(session, anchor.id, anchor.usage, anchor.stopReason);
		}
	});
}

/** Parts of one name as one, largest first. */
function joined(parts: readonly DetailPart[]): DetailPart[] {
	const sums = new Map<string, number>();
	for (const { name, tokens } of parts) sums.set(name, (sums.get(name) ?? 0) + tokens);
	return [...sums].map(([name, tokens]) => ({ name, tokens })).sort((a, b) => b.tokens - a.tokens);
}
