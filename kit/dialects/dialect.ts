/** How the kit reads a host's messages, and writes those that a decision changed. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** A message of a provider's format: a role, and a text or a list of blocks. */
export type BlockMessage = Record<string, unknown>;

/** The result of a call, as a host's message carries it. */
export interface CarriedResult {
	/** The call that it answers. */
	callId: string;
	/** The full text. */
	text: string;
	/** Whether the result was shortened on arrival; it is not shortened again. */
	isCut?: true;
	/** Tool and arguments of a shortened read. */
	source?: string;
}

/**
 * Reads and writes the messages of one host. The kit never looks into a host's message itself, so that unknown
 * members stay unchanged. Host messages are plain data and are never mutated.
 */
export interface Dialect<HostMessage> {
	/**
	 * Returns what identifies a message: everything but cache marks, times, ids that the host changes, and the texts of results,
	 * which hosts clear.
	 */
	essence(message: HostMessage): unknown;
	/** Returns the neutral messages of a host message, without ids; none if the model never sees it. */
	neutral(message: HostMessage): ChatMessage[];
	/** Returns the results in it that contain only text. */
	results(message: HostMessage): CarriedResult[];
	/** Returns the message with new texts for these results, by call id. */
	withResults(message: HostMessage, texts: ReadonlyMap<string, string>): HostMessage;
	/**
	 * Returns the message with each of its neutral messages replaced by the given one, or removed. Undefined if nothing is left.
	 */
	rewrite(message: HostMessage, parts: readonly (ChatMessage | undefined)[]): HostMessage | undefined;
	/**
	 * Returns a message that the daemon wrote, such as a summary, as a message of the user.
	 * @param like a host message of the same conversation, for members that all of its messages share
	 */
	fromDaemon(message: ChatMessage, like: HostMessage): HostMessage;
	/** Returns the message with a text added after its content; the same message if it takes no text. */
	withNote(message: HostMessage, text: string): HostMessage;
	/** Returns the message as it is stored, without what the host never sends. By default messages are stored unchanged. */
	withoutUnsent?(message: HostMessage): HostMessage;
}

/** Returns the text parts of a message, joined by line breaks. */
export function joinTextParts({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
