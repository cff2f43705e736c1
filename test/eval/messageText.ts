/** The text of a message as a model reads it. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** The values of a call's arguments, without keys and JSON escapes, one a line. */
export function argumentText(args: unknown): string {
	if (args === null || typeof args !== 'object') return String(args);
	return Object.values(args).map(argumentText).join('\n');
}

/** The texts of a message's parts, its reasoning included; images and opaque parts have none. */
export function contentText({ content }: ChatMessage): string {
	if (typeof content === 'string') return content;
	return content.map((part) => ('text' in part ? part.text : '')).join('\n');
}

/** Content and calls of a message: a call is its name, then the values of its arguments. */
export function messageText(message: ChatMessage): string {
	const calls = (message.toolCalls ?? []).map(({ name, args }) => `\n${name}\n${argumentText(args)}`);
	return contentText(message) + calls.join('');
}

/** All messages as one text, with a line break between two messages. */
export function conversationText(messages: readonly ChatMessage[]): string {
	return messages.map(messageText).join('\n');
}
