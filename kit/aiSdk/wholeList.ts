/** The program's own list behind one that was made from it. */

import type { BlockMessage } from '../dialects/dialect.ts';

/** Knows what was laid last, and over what. */
export interface WholeList {
	/** A list of the program's: what comes behind a list that was laid goes behind the one that it was laid over. */
	whole(messages: readonly BlockMessage[]): readonly BlockMessage[];
	/** Remembers a list and what was laid over it. */
	laid(raw: readonly BlockMessage[], shown: readonly BlockMessage[]): void;
}

/**
 * Some versions of the SDK go on from the messages that a step was given instead of their own: the list of the next step
 * begins with them then, and what was replaced in them must not be taken for what was said.
 */
export function wholeList(): WholeList {
	let raw: readonly BlockMessage[] = [];
	let shown: readonly string[] = [];
	return {
		whole(messages) {
			const isBehind =
				shown.length > 0 &&
				messages.length >= shown.length &&
				shown.every((text, index) => text === JSON.stringify(messages[index]));
			return isBehind ? [...raw, ...messages.slice(shown.length)] : messages;
		},
		laid(list, messages) {
			raw = list;
			shown = messages.map((message) => JSON.stringify(message));
		},
	};
}
