/** Converts a decision of the daemon into messages of the host. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import { type IdentifiedList, messageLocationOf } from './fingerprint.ts';
import { messageAsSent } from './frozenView.ts';
import type { Decision, HeldView } from './heldView.ts';

/** Decisions that are kept, so that undo and rewinds can return to them. */
const maxDecisions = 8;

/** The daemon's view of the host's messages. */
export interface DaemonView {
	/** The daemon's step that made the view. */
	compactionId: string;
	/** Tokens that it saved. */
	tokensSaved: number;
	/** The history in the `contextd` format, with the ids that the kit assigned. */
	messages: readonly ChatMessage[];
}

/** The neutral messages that are left of one host message, by part; undefined for a removed one. */
type VisibleParts = (ChatMessage | undefined)[];

function isUnchanged(parts: VisibleParts, count: number): boolean {
	if (parts.length !== count) return false;
	for (const part of parts) if (part === undefined || part.metadata?.truncated === true) return false;
	return true;
}

function shownParts(view: DaemonView, places: ReadonlyMap<string, number>): Map<number, VisibleParts> {
	const byHostMessage = new Map<number, VisibleParts>();
	for (const message of view.messages) {
		const place = messageLocationOf(message.id ?? '');
		const index = place && places.get(place.chainId);
		if (place === undefined || index === undefined) continue;
		const parts = byHostMessage.get(index) ?? [];
		parts[place.part] = message;
		byHostMessage.set(index, parts);
	}
	return byHostMessage;
}

/**
 * Returns the daemon's view as host messages: unchanged ones as they were sent before (by reference if the host
 * still has them), shortened ones rewritten, and the daemon's own messages between them.
 */
export function renderDecision<HostMessage>(
	held: HeldView<HostMessage>,
	view: DaemonView,
	{ raw, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
): HostMessage[] {
	const like = raw.at(-1);
	if (like === undefined) return [];
	const places = new Map(ids.map((id, index) => [id, index]));
	const byHostMessage = shownParts(view, places);
	const shown: HostMessage[] = [];
	const done = new Set<number>();
	for (const message of view.messages) {
		const place = messageLocationOf(message.id ?? '');
		const index = place && places.get(place.chainId);
		if (index === undefined) {
			// The host's own message already contains a synthetic call or result; a message that the host removed is not sent.
			if (place === undefined && message.metadata?.synthetic !== true)
				shown.push(dialect.fromDaemon(message, like));
			continue;
		}
		if (done.has(index)) continue;
		done.add(index);
		const hostMessage = raw[index] as HostMessage;
		const parts = byHostMessage.get(index) ?? [];
		const before = messageAsSent({ ...held, notes: {} }, hostMessage, ids[index] ?? '', dialect);
		if (isUnchanged(parts, dialect.neutral(hostMessage).length)) {
			shown.push(before);
			continue;
		}
		const sent = new Map(dialect.results(before).map(({ callId, text }) => [callId, text.length]));
		const rewritten = dialect.rewrite(before, withShortened(parts, dialect.neutral(before), sent));
		if (rewritten !== undefined) shown.push(rewritten);
	}
	return shown;
}

/**
 * Returns the parts to write: a shortened one with the daemon's text, an unchanged one with the text that was sent before.
 * The daemon shortens the original of a result that was already cut on arrival: the shorter text of the two is kept.
 * @param sent UTF-16 units of results as they were sent, by call id
 */
function withShortened(
	parts: VisibleParts,
	before: readonly ChatMessage[],
	sent: ReadonlyMap<string, number>,
): VisibleParts {
	return before.map((own, part) => {
		const now = parts[part];
		if (now === undefined) return now;
		const isLonger =
			typeof now.content === 'string' &&
			now.content.length >= (sent.get(now.toolCallId ?? '') ?? Number.POSITIVE_INFINITY);
		return now.metadata?.truncated === true && !isLonger ? now : own;
	});
}

/** Returns the view with a decision that replaces the whole list of the host. */
export function withDecision<HostMessage>(
	held: HeldView<HostMessage>,
	view: DaemonView,
	{ raw, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
): HeldView<HostMessage> {
	const upTo = ids.at(-1);
	if (upTo === undefined) return held;
	const shown = renderDecision(held, view, { raw, ids }, dialect);
	const decision: Decision<HostMessage> = {
		compactionId: view.compactionId,
		tokensSaved: view.tokensSaved,
		count: raw.length,
		upTo,
		shown: dialect.withoutUnsent ? shown.map(dialect.withoutUnsent) : shown,
	};
	const earlier = held.decisions.filter(({ compactionId }) => compactionId !== view.compactionId);
	return {
		...held,
		decisions: [...earlier, decision].slice(-maxDecisions),
	};
}
