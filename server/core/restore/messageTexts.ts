import type { ChatMessage } from '../../protocol/conversation.ts';

/** Returns all texts of a message: of its content and of the arguments of its calls. */
function textsOf({ content, toolCalls }: ChatMessage): string[] {
	const texts: string[] = [];
	const waiting: unknown[] = [content, toolCalls ?? []];
	while (waiting.length > 0) {
		const value = waiting.pop();
		if (typeof value === 'string') texts.push(value);
		else if (typeof value === 'object' && value !== null)
			for (const one of Object.values(value)) waiting.push(one);
	}
	return texts;
}

/** Whether each text of `part` is a text of `whole`, or the beginning of one. */
export function containsMessage(whole: ChatMessage, part: ChatMessage): boolean {
	const texts = textsOf(whole);
	const known = new Set(texts);
	return textsOf(part).every((text) => known.has(text) || texts.some((one) => one.startsWith(text)));
}
