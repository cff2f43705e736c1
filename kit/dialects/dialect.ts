/** How the kit reads a host's messages and rewrites those that a decision has changed. */

import type { ChatMessage, ContentPart } from '../../server/protocol/conversation.ts';

/** A message with a role and a text or a list of blocks, as providers define it. */
export type BlockMessage = Record<string, unknown>;

/** A tool result within a host's message. */
export interface CarriedResult {
	/** Id of the call that the result answers. */
	callId: string;
	/** Full text of the result. */
	text: string;
	/** Whether the result was shortened on arrival; it is not shortened again. */
	isShortened?: true;
	/** Tool and arguments of the call, if it read a file and its result was shortened. */
	source?: string;
}

/**
 * Reads and writes the messages of one host. Only the dialect looks into these messages, so that members unknown to it stay
 * unchanged. Host messages are plain data and are never mutated.
 */
export interface Dialect<HostMessage> {
	/**
	 * Returns what identifies a message: everything but cache marks, times, ids that the host changes, and the texts of results,
	 * which hosts clear.
	 */
	getEssence(message: HostMessage): unknown;
	/** Returns the neutral messages of a host message, without ids; none if the model never sees it. */
	toNeutral(message: HostMessage): ChatMessage[];
	/** Returns the tool results of a message that contain only text. */
	listResults(message: HostMessage): CarriedResult[];
	/** Returns the message with new texts for its results; `texts` is keyed by call id. */
	withResults(message: HostMessage, texts: ReadonlyMap<string, string>): HostMessage;
	/** Returns the message with `parts` in place of its neutral messages, without undefined parts; undefined if none remains. */
	rewrite(message: HostMessage, parts: readonly (ChatMessage | undefined)[]): HostMessage | undefined;
	/**
	 * Returns a message that the daemon wrote, such as a summary, as a message of the user.
	 * @param template a host message of the same conversation; members that all its messages share are copied from it
	 */
	fromDaemon(message: ChatMessage, template: HostMessage): HostMessage;
	/** Returns the message with a text added after its content; the same object if such a message cannot contain the text. */
	withNote(message: HostMessage, text: string): HostMessage;
	/** Returns the message as it is stored, without what the host never sends. By default messages are stored unchanged. */
	withoutUnsent?(message: HostMessage): HostMessage;
}

/** Returns the content of a message with these parts: a string if the only part is a text. */
export function toContent(parts: ContentPart[]): string | ContentPart[] {
	const [only, ...others] = parts;
	return only?.type === 'text' && others.length === 0 ? only.text : parts;
}

/** Returns the text parts of a message, joined by line breaks. */
export function joinTextParts({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}
