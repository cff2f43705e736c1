/** Reads the text of messages. */

import type { ChatMessage } from '../../protocol/conversation.ts';

/** Returns all text of a message, its parts joined by line ends; images and opaque parts have none. */
export function getMessageText(message: Pick<ChatMessage, 'content'>): string {
	if (typeof message.content === 'string') return message.content;
	return message.content
		.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : ''))
		.filter((text) => text !== '')
		.join('\n');
}

/** Returns all text of a message: its content, then its calls, one per line. */
export function joinMessageText(
	message: Pick<ChatMessage, 'content'> & { toolCalls?: readonly { name: string; args: unknown }[] },
): string {
	const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${JSON.stringify(call.args)}`);
	return [getMessageText(message), ...calls].filter((text) => text !== '').join('\n');
}
