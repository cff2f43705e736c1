/** Formats a history as text for people and models. */

import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { escapeIcons } from './figures.ts';
import { t } from './language.ts';
import { formatMessageName } from './messageNames.ts';
import type { CallTarget } from './reads.ts';

function formatContentPart(part: ContentPart): string {
	switch (part.type) {
		case 'text':
			return part.text;
		case 'reasoning':
			return `(thinking)\n${part.text}`;
		case 'image':
			return `(image, ${part.mediaType}${part.width && part.height ? `, ${part.width} × ${part.height}` : ''})`;
		case 'opaque':
			return `(of the provider) ${JSON.stringify(part.value)}`;
	}
}

/** Returns the text and the calls of a message. */
export function formatMessageBody(message: ChatMessage): string {
	const { content, toolCalls = [] } = message;
	const parts = typeof content === 'string' ? [content] : content.map(formatContentPart);
	const calls = toolCalls.map(({ name, args }) => `→ ${name} ${JSON.stringify(args, null, 2)}`);
	return [...parts, ...calls].filter((text) => text !== '').join('\n');
}

/** Returns the heading line of a message, which ends with the message's id. */
export function formatMessageHeading(
	message: ChatMessage,
	targets: ReadonlyMap<string, CallTarget> = new Map(),
): string {
	return `─── ${formatMessageName(message, targets)} ─── ${message.id ?? ''}`.trimEnd();
}

const headingPattern = /^─── .* ─── (\S+)$/;

/** Returns the message id in a heading line; null for all other lines. */
export function parseHeadingId(line: string): string | null {
	return headingPattern.exec(line)?.[1] ?? null;
}

/** Size of an excerpt of a message: maximum number of lines, and maximum UTF-16 units of each line. */
export interface ExcerptSize {
	maxLines: number;
	maxLineUnits: number;
}

/** Minimum omitted UTF-16 units: a note about fewer would be longer than the omitted text. */
const minOmittedUnits = 40;

function truncateLine(line: string, units: number): string {
	const omitted = line.length - units;
	return omitted <= minOmittedUnits ? line : `${line.slice(0, units)} … ${t('{0} more characters', omitted)}`;
}

/** Returns the first lines of a text; if more follow, the last line says how many. */
export function createExcerpt(text: string, { maxLines, maxLineUnits }: ExcerptSize): string[] {
	const lines = text.split('\n');
	const omitted = lines.length - maxLines;
	const shownLines = omitted <= 1 ? lines : lines.slice(0, maxLines);
	const notice = omitted <= 1 ? [] : [`… ${t('{0} more lines: open the message to read them', omitted)}`];
	return [...shownLines.map((line) => truncateLine(line, maxLineUnits)), ...notice];
}

/** Returns the history in full, for people and models, without ids of messages. */
export function formatHistory(messages: readonly ChatMessage[]): string {
	return messages
		.map(
			(message) => `${formatMessageHeading({ ...message, id: undefined })}\n${formatMessageBody(message)}\n`,
		)
		.join('\n');
}

/** Returns a message as one entry of a list: its author and its beginning. */
export function toListLabel(
	message: ChatMessage,
	targets: ReadonlyMap<string, CallTarget> = new Map(),
): { label: string; detail: string } {
	const text = formatMessageBody(message).replace(/\s+/g, ' ').trim();
	return {
		label: escapeIcons(formatMessageName(message, targets)),
		detail: escapeIcons(text.length > 120 ? `${text.slice(0, 119)}…` : text),
	};
}
