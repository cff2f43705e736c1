/** The view that a model gets of a host's messages: frozen up to the last decision, growing at its end since. */

import type { Dialect } from './dialects/dialect.ts';
import { chainIds, commonBeginning } from './fingerprint.ts';
import type { Decision, HeldView } from './heldView.ts';

/**
 * What became of the list that was laid before: it only grew, or is the same (`all`); it lost its end (`rewound`); it
 * goes on otherwise from a place on (`edited`); nothing of it is left, or there was none (`new`).
 */
export type Matched = 'all' | 'rewound' | 'edited' | 'new';

/** A list of messages for the model, and how the host's list relates to the one before. */
export interface Laid<Native> {
	/** What the model is to be sent. */
	messages: Native[];
	matched: Matched;
	/** Leading messages of the host that are those of before. */
	common: number;
	/** The decision that is shown; absent where none fits. */
	decision?: Decision<Native>;
}

/** The newest decision that stands for the beginning of a list with these chain ids. */
export function decisionFor<Native>(
	held: HeldView<Native>,
	ids: readonly string[],
): Decision<Native> | undefined {
	return held.decisions.findLast(({ count, upTo }) => ids[count - 1] === upTo);
}

function matchOf(known: readonly string[], ids: readonly string[], common: number): Matched {
	if (common === 0) return 'new';
	if (common === known.length) return 'all';
	return common === ids.length ? 'rewound' : 'edited';
}

/**
 * A message as it was sent when it was new: results by the text that the model got, although the host may have cleared
 * them since, and with what was noted behind it.
 */
export function frozen<Native>(
	held: HeldView<Native>,
	message: Native,
	id: string,
	dialect: Dialect<Native>,
): Native {
	const texts = new Map<string, string>();
	for (const { callId, text } of dialect.results(message)) {
		const shown = held.results[callId];
		// A result that grew is no longer the one that was sent.
		if (shown?.text !== undefined && shown.text !== text && text.length <= shown.units)
			texts.set(callId, shown.text);
	}
	const whole = texts.size === 0 ? message : dialect.withResults(message, texts);
	const note = held.notes[id];
	return note === undefined ? whole : dialect.noted(whole, note);
}

/** Results as the model was sent them, by their calls. */
export function sentResults<Native>(
	held: HeldView<Native>,
	raw: readonly Native[],
	dialect: Dialect<Native>,
	ids: readonly string[],
): Map<string, string> {
	const sent = raw.map((native, index) => frozen(held, native, ids[index] ?? '', dialect));
	return new Map(sent.flatMap(dialect.results).map(({ callId, text }) => [callId, text]));
}

/**
 * Lays what is held over the host's list. Changes nothing, so that a list that is sent again, as in a retry, is laid
 * the same.
 * @param ids the chain ids of `raw`
 */
export function lay<Native>(
	held: HeldView<Native>,
	raw: readonly Native[],
	dialect: Dialect<Native>,
	ids: readonly string[] = chainIds(dialect, raw),
): Laid<Native> {
	const common = commonBeginning(held.known, ids);
	const decision = decisionFor(held, ids);
	const from = decision?.count ?? 0;
	const behind = raw
		.slice(from)
		.map((message, index) => frozen(held, message, ids[from + index] ?? '', dialect));
	return {
		messages: [...(decision?.shown ?? []), ...behind],
		matched: matchOf(held.known, ids, common),
		common,
		...(decision && { decision }),
	};
}

/** The view with these decisions taken back: what is sent next is what was sent before them, and all since behind it. */
export function lifted<Native>(held: HeldView<Native>, compactionIds: readonly string[]): HeldView<Native> {
	const decisions = held.decisions.filter(({ compactionId }) => !compactionIds.includes(compactionId));
	return decisions.length === held.decisions.length ? held : { ...held, decisions };
}
