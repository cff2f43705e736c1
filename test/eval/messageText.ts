/** The text of a message as a model reads it. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** Returns the values of a call's arguments, one per line, without keys and JSON escapes. */
export function argumentText(args: unknown): string {
	if (args === null || typeof args !== 'object') return String(args);
	return Object.values(args).map(argumentText).join('\n');
}

/** Returns the texts of a message's parts, including reasoning. Images and opaque parts have no text. */
export function contentText({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

/** Returns the content and calls of a message as text. A call is its name, followed by the values of its arguments. */
export function messageText(message: ChatMessage): string {
	const calls = (message.toolCalls ?? []).map(({ name, args }) => `\n${name}\n${argumentText(args)}`);
	return contentText(message) + calls.join('');
}

/** Returns all messages as one text, with a line break between two messages. */
export function conversationText(messages: readonly ChatMessage[]): string {
	return messages.map(messageText).join('\n');
}
