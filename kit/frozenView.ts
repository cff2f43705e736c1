/** Applies the held view to a host's list: unchanged up to the last decision, then growing at its end. */

import type { Dialect } from './dialects/dialect.ts';
import { chainIds, commonBeginningLength } from './fingerprint.ts';
import type { Decision, HeldView } from './heldView.ts';

/**
 * How a list differs from the one before it: it is the same or only grew (`all`); it lost its end (`rewound`); it differs
 * from some message on (`edited`); it has no common beginning, or there was no list before (`new`).
 */
export type ListChange = 'all' | 'rewound' | 'edited' | 'new';

/** A list of messages for the model, and how the host's list differs from the one before. */
export interface AppliedView<HostMessage> {
	/** Messages to send to the model. */
	messages: HostMessage[];
	change: ListChange;
	/** Number of leading messages that are those of the list before. */
	common: number;
	/** The decision that applies; absent if none matches the list. */
	decision?: Decision<HostMessage>;
}

/** Returns the newest decision that replaces the beginning of a list with these chain ids; undefined if there is none. */
export function decisionFor<HostMessage>(
	held: HeldView<HostMessage>,
	ids: readonly string[],
): Decision<HostMessage> | undefined {
	return held.decisions.findLast(({ count, upTo }) => ids[count - 1] === upTo);
}

function matchOf(known: readonly string[], ids: readonly string[], common: number): ListChange {
	if (common === 0) return 'new';
	if (common === known.length) return 'all';
	return common === ids.length ? 'rewound' : 'edited';
}

/**
 * Returns a message as it was sent for the first time: results with the text that the model got, although the host may have
 * cleared them since, and with the line that was added after it.
 */
export function messageAsSent<HostMessage>(
	held: HeldView<HostMessage>,
	message: HostMessage,
	id: string,
	dialect: Dialect<HostMessage>,
): HostMessage {
	const texts = new Map<string, string>();
	for (const { callId, text } of dialect.results(message)) {
		const shown = held.results[callId];
		// A result that has grown is no longer the one that was sent.
		if (shown?.text !== undefined && shown.text !== text && text.length <= shown.units)
			texts.set(callId, shown.text);
	}
	const whole = texts.size === 0 ? message : dialect.withResults(message, texts);
	const note = held.notes[id];
	return note === undefined ? whole : dialect.withNote(whole, note);
}

/** Returns results as the model was sent them, by call id. */
export function sentResults<HostMessage>(
	held: HeldView<HostMessage>,
	raw: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
	ids: readonly string[],
): Map<string, string> {
	const sent = raw.map((message, index) => messageAsSent(held, message, ids[index] ?? '', dialect));
	return new Map(sent.flatMap(dialect.results).map(({ callId, text }) => [callId, text]));
}

/**
 * Returns the host's list with the held view applied. Pure, so that a repeated list, such as a retry, gives the same bytes.
 * @param ids the chain ids of `raw`
 */
export function applyView<HostMessage>(
	held: HeldView<HostMessage>,
	raw: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
	ids: readonly string[] = chainIds(dialect, raw),
): AppliedView<HostMessage> {
	const common = commonBeginningLength(held.known, ids);
	const decision = decisionFor(held, ids);
	const from = decision?.count ?? 0;
	const behind = raw
		.slice(from)
		.map((message, index) => messageAsSent(held, message, ids[from + index] ?? '', dialect));
	return {
		messages: [...(decision?.shown ?? []), ...behind],
		change: matchOf(held.known, ids, common),
		common,
		...(decision && { decision }),
	};
}

/** Returns the view without these decisions: the next list is the one before them, followed by everything since. */
export function withoutDecisions<HostMessage>(
	held: HeldView<HostMessage>,
	compactionIds: readonly string[],
): HeldView<HostMessage> {
	const decisions = held.decisions.filter(({ compactionId }) => !compactionIds.includes(compactionId));
	return decisions.length === held.decisions.length ? held : { ...held, decisions };
}
