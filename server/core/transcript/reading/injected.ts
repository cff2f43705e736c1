import type { ContentPart } from '../../../protocol/conversation.ts';

/** How texts begin that an agent puts into the user's role by itself. */
export type InjectedBeginnings = readonly string[];

/** Reminders, which most agents mark alike. */
const reminders: InjectedBeginnings = ['<system-reminder>', '<system_notification>'];

/** UTF-16 units at the start of a text that show how it begins, blanks before it included. */
const headLength = 200;

/**
 * Whether no person typed what a user message says: all of it begins as the agent's own wrappers, reminders, notices
 * and summaries do. A message with an image or without text was typed.
 */
export function isInjectedContent(
	content: string | readonly ContentPart[],
	beginnings: InjectedBeginnings,
): boolean {
	if (typeof content === 'string') return isInjectedText(content, beginnings);
	return (
		content.length > 0 &&
		content.every((part) => part.type === 'text' && isInjectedText(part.text, beginnings))
	);
}

function isInjectedText(text: string, beginnings: InjectedBeginnings): boolean {
	const start = text.slice(0, headLength).trimStart();
	const begins = (beginning: string): boolean => start.startsWith(beginning);
	return reminders.some(begins) || beginnings.some(begins);
}
