/**
 * The view of a conversation that a plugin holds, so that every request begins with the bytes of the previous request. Between
 * two decisions, the view only grows at its end.
 */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import { computeChainIds, countCommonItems, type IdentifiedList, parseLocation } from './fingerprint.ts';

/** The form in which a tool result was first sent to the model. */
export interface HeldResult {
	/** Length of the host's original result, in UTF-16 units. */
	units: number;
	/** The text that the model was sent; absent if it equals the host's text. */
	text?: string;
	/** Tool and arguments of a shortened read: the next read with the same arguments is not shortened. */
	source?: string;
}

/** A decision about the model's view: messages that replace the first messages of the host's list. */
export interface Decision<HostMessage> {
	/** Id of the daemon's step, for `context/undo`. */
	compactionId: string;
	/** Tokens that the decision saved. */
	tokensSaved: number;
	/** Number of the host's messages that the decision replaces. */
	count: number;
	/** The chain id of the last replaced message. */
	upTo: string;
	/** The messages that are sent to the model instead of the replaced messages. */
	shown: readonly HostMessage[];
}

/** The held view of a conversation. Immutable plain data, stored as JSON. */
export interface HeldView<HostMessage> {
	/** Version of this format. */
	version: 1;
	/** Chain ids of the host's messages at the last request. A chain id identifies a message and all messages before it. */
	known: readonly string[];
	/** Decisions, oldest first. The newest decision that matches the host's list applies. */
	decisions: readonly Decision<HostMessage>[];
	/** How each tool result was sent, by call id. */
	results: Readonly<Record<string, HeldResult>>;
	/** Lines added after messages, by the chain id of the message. */
	notes: Readonly<Record<string, string>>;
}

/** Returns the view of a conversation before its first request. */
export function createEmptyView<HostMessage>(): HeldView<HostMessage> {
	return { version: 1, known: [], decisions: [], results: {}, notes: {} };
}

/**
 * How a list differs from the previous list: it is equal or has grown (`all`), it lost its end (`rewound`), only its first
 * messages are equal (`edited`), or no message is (`new`).
 */
export type ListChange = 'all' | 'rewound' | 'edited' | 'new';

/** Messages for the model, and how the host's list differs from the previous one. */
export interface AppliedView<HostMessage> {
	/** Messages to send to the model. */
	messages: HostMessage[];
	change: ListChange;
	/** Number of leading messages that the list has in common with the previous list. */
	common: number;
	/** The decision that applies; absent if none matches the list. */
	decision?: Decision<HostMessage>;
}

/** Returns the newest decision that replaces the beginning of a list with these chain ids; undefined if there is none. */
export function findDecision<HostMessage>(
	heldView: HeldView<HostMessage>,
	ids: readonly string[],
): Decision<HostMessage> | undefined {
	return heldView.decisions.findLast(({ count, upTo }) => ids[count - 1] === upTo);
}

function classifyChange(knownIds: readonly string[], ids: readonly string[], common: number): ListChange {
	if (common === 0) return 'new';
	if (common === knownIds.length) return 'all';
	return common === ids.length ? 'rewound' : 'edited';
}

/**
 * Returns a message in the form that was first sent: with the line that was added at its end, and with the texts of
 * results that the model got, even if the host has cleared these texts since.
 */
export function toSentMessage<HostMessage>(
	heldView: HeldView<HostMessage>,
	message: HostMessage,
	id: string,
	dialect: Dialect<HostMessage>,
): HostMessage {
	const texts = new Map<string, string>();
	for (const { callId, text } of dialect.listResults(message)) {
		const heldResult = heldView.results[callId];
		// A result that is now longer is a new result.
		if (heldResult?.text !== undefined && heldResult.text !== text && text.length <= heldResult.units)
			texts.set(callId, heldResult.text);
	}
	const sentMessage = texts.size === 0 ? message : dialect.withResults(message, texts);
	const note = heldView.notes[id];
	return note === undefined ? sentMessage : dialect.withNote(sentMessage, note);
}

/** Returns the texts of tool results that were sent to the model, by call id. */
export function collectSentResults<HostMessage>(
	heldView: HeldView<HostMessage>,
	hostMessages: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
	ids: readonly string[],
): Map<string, string> {
	const sentMessages = hostMessages.map((message, index) =>
		toSentMessage(heldView, message, ids[index] ?? '', dialect),
	);
	return new Map(sentMessages.flatMap(dialect.listResults).map(({ callId, text }) => [callId, text]));
}

/**
 * Applies the held view to the host's list. Pure, so that a repeated list, such as a retry, gives the same bytes.
 * @param ids the chain ids of `hostMessages`
 */
export function applyView<HostMessage>(
	heldView: HeldView<HostMessage>,
	hostMessages: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
	ids: readonly string[] = computeChainIds(dialect, hostMessages),
): AppliedView<HostMessage> {
	const common = countCommonItems(heldView.known, ids);
	const decision = findDecision(heldView, ids);
	const from = decision?.count ?? 0;
	const laterMessages = hostMessages
		.slice(from)
		.map((message, index) => toSentMessage(heldView, message, ids[from + index] ?? '', dialect));
	return {
		messages: [...(decision?.shown ?? []), ...laterMessages],
		change: classifyChange(heldView.known, ids, common),
		common,
		...(decision && { decision }),
	};
}

/** Returns the view without some decisions: the model then gets the messages that they replaced, and all later messages. */
export function withoutDecisions<HostMessage>(
	heldView: HeldView<HostMessage>,
	compactionIds: readonly string[],
): HeldView<HostMessage> {
	const decisions = heldView.decisions.filter(({ compactionId }) => !compactionIds.includes(compactionId));
	return decisions.length === heldView.decisions.length ? heldView : { ...heldView, decisions };
}

/** Maximum number of stored decisions. Undo and rewinds can return to a stored decision. */
const maxDecisions = 8;

/** The daemon's view of the host's messages. */
export interface DaemonView {
	/** Id of the daemon's step that made the view. */
	compactionId: string;
	/** Tokens that the step saved. */
	tokensSaved: number;
	/** The history in the `contextd` format, with the ids that the kit assigned. */
	messages: readonly ChatMessage[];
}

/** The daemon's messages for one host message, in order; undefined for each message that the view no longer has. */
type VisibleParts = (ChatMessage | undefined)[];

function isUnchanged(parts: VisibleParts, count: number): boolean {
	if (parts.length !== count) return false;
	for (const part of parts) if (part === undefined || part.metadata?.truncated === true) return false;
	return true;
}

function groupParts(view: DaemonView, indexes: ReadonlyMap<string, number>): Map<number, VisibleParts> {
	const byHostMessage = new Map<number, VisibleParts>();
	for (const message of view.messages) {
		const location = parseLocation(message.id ?? '');
		const index = location && indexes.get(location.chainId);
		if (location === undefined || index === undefined) continue;
		const parts = byHostMessage.get(index) ?? [];
		parts[location.part] = message;
		byHostMessage.set(index, parts);
	}
	return byHostMessage;
}

/**
 * Returns the daemon's view as host messages: unchanged messages in the form that was sent before (by reference if the
 * host still has it), shortened messages rewritten, and the messages that the daemon wrote.
 */
export function renderDecision<HostMessage>(
	heldView: HeldView<HostMessage>,
	view: DaemonView,
	{ hostMessages, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
): HostMessage[] {
	const template = hostMessages.at(-1);
	if (template === undefined) return [];
	const indexes = new Map(ids.map((id, index) => [id, index]));
	const byHostMessage = groupParts(view, indexes);
	const messages: HostMessage[] = [];
	const renderedIndexes = new Set<number>();
	for (const message of view.messages) {
		const location = parseLocation(message.id ?? '');
		const index = location && indexes.get(location.chainId);
		if (index === undefined) {
			// Skips messages that the host removed, and synthetic calls and results: they are part of the host's own messages.
			if (location === undefined && message.metadata?.synthetic !== true)
				messages.push(dialect.fromDaemon(message, template));
			continue;
		}
		if (renderedIndexes.has(index)) continue;
		renderedIndexes.add(index);
		const hostMessage = hostMessages[index] as HostMessage;
		const parts = byHostMessage.get(index) ?? [];
		const sent = toSentMessage({ ...heldView, notes: {} }, hostMessage, ids[index] ?? '', dialect);
		if (isUnchanged(parts, dialect.toNeutral(hostMessage).length)) {
			messages.push(sent);
			continue;
		}
		const sentLengths = new Map(dialect.listResults(sent).map(({ callId, text }) => [callId, text.length]));
		const rewritten = dialect.rewrite(sent, withShortened(parts, dialect.toNeutral(sent), sentLengths));
		if (rewritten !== undefined) messages.push(rewritten);
	}
	return messages;
}

/**
 * Returns the parts to write: shortened parts with the daemon's text, other parts unchanged. The daemon shortens a result from
 * its original. If the plugin already shortened that result on arrival, the shorter of the two texts is used.
 * @param sentLengths length of each result that was sent, in UTF-16 units, by call id
 */
function withShortened(
	parts: VisibleParts,
	neutralMessages: readonly ChatMessage[],
	sentLengths: ReadonlyMap<string, number>,
): VisibleParts {
	return neutralMessages.map((original, index) => {
		const part = parts[index];
		if (part === undefined) return part;
		const isLonger =
			typeof part.content === 'string' &&
			part.content.length >= (sentLengths.get(part.toolCallId ?? '') ?? Number.POSITIVE_INFINITY);
		return part.metadata?.truncated === true && !isLonger ? part : original;
	});
}

/** Adds a decision that replaces the host's whole list. */
export function withDecision<HostMessage>(
	heldView: HeldView<HostMessage>,
	view: DaemonView,
	{ hostMessages, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
): HeldView<HostMessage> {
	const upTo = ids.at(-1);
	if (upTo === undefined) return heldView;
	const messages = renderDecision(heldView, view, { hostMessages, ids }, dialect);
	const decision: Decision<HostMessage> = {
		compactionId: view.compactionId,
		tokensSaved: view.tokensSaved,
		count: hostMessages.length,
		upTo,
		shown: dialect.withoutUnsent ? messages.map(dialect.withoutUnsent) : messages,
	};
	const earlier = heldView.decisions.filter(({ compactionId }) => compactionId !== view.compactionId);
	return {
		...heldView,
		decisions: [...earlier, decision].slice(-maxDecisions),
	};
}
