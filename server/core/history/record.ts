/**
 * What a session's journal holds. A session's state is the fold of its records, in order;
 * nothing else is kept, so that live work and replay cannot differ.
 */

import type { FileTouch } from '../files/touch.ts';
import type { Role, Usage } from './message.ts';

/** Ordinal of a row as it was appended; never reused. */
export type Seq = number;

/** Tokens of one message before any calibration, by what they are spent on. */
export interface Counts {
	/** Text and reasoning, with the message's framing. */
	text: number;
	/** Tool calls: names, arguments, framing. */
	calls: number;
	images: number;
}

/** What the daemon made itself, and why. */
export type Made = 'summary' | 'marker' | 'shortened' | 'cleared' | 'deduplicated' | 'cut';

/** One message as the journal knows it: all that decisions need, without its text. */
export interface StoredRow {
	id: string;
	role: Role;
	counts: Counts;
	/** The client counted this message itself: never scaled. */
	exact?: true;
	calls?: { id: string; name: string }[];
	/** Of a tool message: the id of the call that it answers. */
	answers?: string;
	tool?: string;
	isError?: true;
	/** A user message that no person typed. */
	injected?: true;
	pinned?: true;
	usage?: Usage;
	stopReason?: string;
	/** Milliseconds since the epoch. */
	at?: number;
	made?: Made;
	/** Files that its calls read or change. */
	touches?: FileTouch[];
	/** Digest of role, content and calls: equal messages have equal digests. */
	digest: string;
	/** Length of the text in UTF-16 units. */
	chars: number;
	/** Index of its body among the record's bodies. */
	body: number;
	/** Which message of that body it is, where one body holds several. */
	part?: number;
}

export interface SessionInfo {
	sessionId: string;
	workspace?: string;
	title?: string;
	provider: string;
	model: string;
	/** Tokens, where the client knows better than the registry. */
	contextWindow?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** Milliseconds since the epoch. */
	createdAt: number;
}

/** Instead of the rows [from, to): the row shown, or nothing. */
export interface StoredPatch {
	from: Seq;
	to: Seq;
	show?: StoredRow;
}
