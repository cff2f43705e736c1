/** What the requests of a stream hold beside its messages, where the stream does not repeat its prompt. */

import type { Usage } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';

/**
 * Tokens of Claude Code's system prompt, and of a tool's declaration. In streams of the Agent SDK with sixteen tools a
 * request came to 16,000 to 21,000 without its messages.
 */
const usual = { systemPrompt: 5000, tool: 800 };

/** Tells what stays in the requests of a stream when its prompt leaves them. */
export interface StandingTeller {
	/** Takes a record that says how the session begins; any other says nothing. */
	take(record: Fields): void;
	/** A person's prompt stands in the stream. */
	prompted(): void;
	/** An answer came, with its figures. */
	answered(usage: Usage | undefined): void;
	/** Tokens; undefined where the stream holds its first prompt, or does not say which tools there are. */
	tokens(): number | undefined;
}

/** What stays is told by the session's tools; it is no less than what the first request could read from a cache. */
export function standingTeller(): StandingTeller {
	let tools: number | undefined;
	let cached: number | undefined;
	let isRecorded = false;
	return {
		take({ subtype, tools: names }) {
			if (subtype === 'init' && Array.isArray(names)) tools ??= names.length;
		},
		prompted() {
			if (cached === undefined) isRecorded = true;
		},
		answered(usage) {
			cached ??= usage?.cacheRead ?? 0;
		},
		tokens() {
			if (isRecorded || tools === undefined) return undefined;
			return Math.max(cached ?? 0, usual.systemPrompt + usual.tool * tools);
		},
	};
}
