/** A decision of the daemon's, as a list of the host's messages. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import { placeOf } from './fingerprint.ts';
import { frozen } from './frozenView.ts';
import type { Decision, HeldView } from './heldView.ts';

/** Decisions that are held at most: what undo and rewinds come back to. */
const mostDecisions = 8;

/** What the daemon shows of the host's messages. */
export interface DaemonView {
	/** The step that made it. */
	compactionId: string;
	/** Tokens that it saved. */
	tokensSaved: number;
	/** The history in the `contextd` format, with the ids that the kit gave. */
	messages: readonly ChatMessage[];
}

/** The neutral messages of one native that are shown, by their part; a hole where one is gone. */
type Shown = (ChatMessage | undefined)[];

function isWhole(parts: Shown, count: number): boolean {
	if (parts.length !== count) return false;
	for (const part of parts) if (part === undefined || part.metadata?.truncated === true) return false;
	return true;
}

function shownParts(view: DaemonView, places: ReadonlyMap<string, number>): Map<number, Shown> {
	const byNative = new Map<number, Shown>();
	for (const message of view.messages) {
		const place = placeOf(message.id ?? '');
		const index = place && places.get(place.chainId);
		if (place === undefined || index === undefined) continue;
		const parts = byNative.get(index) ?? [];
		parts[place.part] = message;
		byNative.set(index, parts);
	}
	return byNative;
}

/**
 * What a model gets by the daemon's view: natives that it left alone as they were sent before, by reference where the
 * host still has them so; others with their new words; what the daemon wrote itself in between.
 * @param ids the chain ids of `raw`
 */
export function shownBy<Native>(
	held: HeldView<Native>,
	view: DaemonView,
	raw: readonly Native[],
	ids: readonly string[],
	dialect: Dialect<Native>,
): Native[] {
	const like = raw.at(-1);
	if (like === undefined) return [];
	const places = new Map(ids.map((id, index) => [id, index]));
	const byNative = shownParts(view, places);
	const shown: Native[] = [];
	const done = new Set<number>();
	for (const message of view.messages) {
		const place = placeOf(message.id ?? '');
		const index = place && places.get(place.chainId);
		if (index === undefined) {
			// What completes a pair stands in the host's own message already; of a message that it no longer has, nothing is sent.
			if (place === undefined && message.metadata?.synthetic !== true)
				shown.push(dialect.made(message, like));
			continue;
		}
		if (done.has(index)) continue;
		done.add(index);
		const native = raw[index] as Native;
		const parts = byNative.get(index) ?? [];
		const before = frozen({ ...held, notes: {} }, native, ids[index] ?? '', dialect);
		if (isWhole(parts, dialect.neutral(native).length)) {
			shown.push(before);
			continue;
		}
		const sent = new Map(dialect.results(before).map(({ callId, text }) => [callId, text.length]));
		const rewritten = dialect.rewritten(before, withTruncatedAlone(parts, dialect.neutral(before), sent));
		if (rewritten !== undefined) shown.push(rewritten);
	}
	return shown;
}

/**
 * The parts to write: a changed one with the daemon's words, an unchanged one with those that were sent before. Of a
 * result that was cut on its way in the daemon shortens the whole: what would be longer than the cut stays cut.
 * @param sent UTF-16 units of results as they were sent, by their calls
 */
function withTruncatedAlone(
	parts: Shown,
	before: readonly ChatMessage[],
	sent: ReadonlyMap<string, number>,
): Shown {
	return before.map((own, part) => {
		const now = parts[part];
		if (now === undefined) return now;
		const isLonger =
			typeof now.content === 'string' &&
			now.content.length >= (sent.get(now.toolCallId ?? '') ?? Number.POSITIVE_INFINITY);
		return now.metadata?.truncated === true && !isLonger ? now : own;
	});
}

/** The view with a decision on all of the host's list. */
export function decided<Native>(
	held: HeldView<Native>,
	view: DaemonView,
	raw: readonly Native[],
	ids: readonly string[],
	dialect: Dialect<Native>,
): HeldView<Native> {
	const upTo = ids.at(-1);
	if (upTo === undefined) return held;
	const shown = shownBy(held, view, raw, ids, dialect);
	const decision: Decision<Native> = {
		compactionId: view.compactionId,
		tokensSaved: view.tokensSaved,
		count: raw.length,
		upTo,
		shown: dialect.bare ? shown.map(dialect.bare) : shown,
	};
	const earlier = held.decisions.filter(({ compactionId }) => compactionId !== view.compactionId);
	return {
		...held,
		decisions: [...earlier, decision].slice(-mostDecisions),
	};
}
