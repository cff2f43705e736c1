import type { ContentPart } from '../../../protocol/conversation.ts';

/** Beginnings of texts that an agent puts into the user's role. */
export type InjectedPrefixes = readonly string[];

/** Reminders, which most agents mark in the same way. */
const reminders: InjectedPrefixes = ['<system-reminder>', '<system_notification>'];

/** UTF-16 units at the start of a text that are checked, including leading white space. */
const headLength = 200;

/**
 * Whether no person typed a user message: all its texts begin like the agent's own wrappers,
 * reminders, notices or summaries. A message with an image or without text was typed.
 */
export function isInjectedContent(
	content: string | readonly ContentPart[],
	beginnings: InjectedPrefixes,
): boolean {
	if (typeof content === 'string') return isInjectedText(content, beginnings);
	return (
		content.length > 0 &&
		content.every((part) => part.type === 'text' && isInjectedText(part.text, beginnings))
	);
}

function isInjectedText(text: string, beginnings: InjectedPrefixes): boolean {
	const start = text.slice(0, headLength).trimStart();
	const begins = (beginning: string): boolean => start.startsWith(beginning);
	return reminders.some(begins) || beginnings.some(begins);
}
