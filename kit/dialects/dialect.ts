/** How the messages of a host are read, and written again where a decision changed them. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** A message of a provider's format: a role, and a text or a list of blocks. */
export type BlockMessage = Record<string, unknown>;

/** The result of a call, as a host's message carries it. */
export interface CarriedResult {
	/** The call that it answers. */
	callId: string;
	/** The whole text; a result that is not text alone is carried by no list. */
	text: string;
	/** It was cut as it arrived, and is cut no more. */
	isCut?: true;
	/** Of one that was: what it was read from, where it is a read. */
	source?: string;
}

/**
 * The messages of one host, called natives here. The kit never looks into them by itself, so that whatever it does not
 * know stays as it is. A native is plain data, and is never changed in its place.
 */
export interface Dialect<Native> {
	/**
	 * What makes a message this message and no other: without marks for caches, times and ids that the host gives anew,
	 * and without the texts of results, which hosts clear by themselves.
	 */
	essence(message: Native): unknown;
	/** The neutral messages that it stands for, without ids; none where the model never sees it. */
	neutral(message: Native): ChatMessage[];
	/** The results in it that are text alone. */
	results(message: Native): CarriedResult[];
	/** The message with other texts for these results, by the ids of their calls. */
	withResults(message: Native, texts: ReadonlyMap<string, string>): Native;
	/**
	 * The message with other words: in the place of each of its neutral messages the one given, or nothing. Undefined
	 * where nothing is left of it.
	 */
	rewritten(message: Native, parts: readonly (ChatMessage | undefined)[]): Native | undefined;
	/**
	 * What the daemon wrote itself, such as a summary, as something that the user says.
	 * @param like a native of the same conversation, for what every message of it has
	 */
	made(message: ChatMessage, like: Native): Native;
	/** The message with a text behind its content. */
	noted(message: Native, text: string): Native;
	/** The message as it is kept: without what the host never sends. As it is where this is absent. */
	bare?(message: Native): Native;
}

/** The text parts of a message, joined by line ends. */
export function saidText({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
