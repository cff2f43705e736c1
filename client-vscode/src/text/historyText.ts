/** A history as text that a person reads and a diff compares line by line. */

import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';

/** Lines of one message that a history shows, and UTF-16 units of one line. */
const most = { lines: 20, units: 300 };

function partText(part: ContentPart): string {
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

function bodyOf(message: ChatMessage): string {
	const { content, toolCalls = [] } = message;
	const parts = typeof content === 'string' ? [content] : content.map(partText);
	const calls = toolCalls.map(({ name, args }) => `→ ${name} ${JSON.stringify(args, null, 2)}`);
	return [...parts, ...calls].filter((text) => text !== '').join('\n');
}

function kindText(message: ChatMessage): string {
	const { metadata } = message;
	if (metadata?.isSummary === true || message.condenseId !== undefined) return 'summary';
	if (message.isTruncationMarker) return 'marker of what was left out';
	if (message.role === 'tool') return `tool · ${message.toolName ?? message.toolCallId ?? 'result'}`;
	return message.role;
}

/** The line that a message begins with; its id stands last in it. */
export function headingOf(message: ChatMessage): string {
	return `─── ${kindText(message)} ─── ${message.id ?? ''}`.trimEnd();
}

const heading = /^─── .* ─── (\S+)$/;

/** The message id in a heading line; null in all other lines. */
export function messageIdIn(line: string): string | null {
	return heading.exec(line)?.[1] ?? null;
}

function lineExcerpt(line: string): string {
	const more = line.length - most.units;
	return more <= 0 ? line : `${line.slice(0, most.units)} … ${more} more characters`;
}

/** The beginning of a long text; comparing whole files, or long lines, takes the editor many seconds. */
function excerpt(text: string): string {
	const lines = text.split('\n');
	const more = lines.length - most.lines;
	const shown = more <= 1 ? lines : lines.slice(0, most.lines);
	const end = more <= 1 ? [] : [`… ${more} more lines: open the message to read them`];
	return [...shown.map(lineExcerpt), ...end].join('\n');
}

/** The history, message by message, each with its first lines; those in full that have no id to open them by. */
export function historyText(messages: readonly ChatMessage[]): string {
	return messages
		.map((message) => {
			const body = bodyOf(message);
			return `${headingOf(message)}\n${message.id === undefined ? body : excerpt(body)}\n`;
		})
		.join('\n');
}

/** The history in full, for people and models; ids of messages are left out. */
export function wholeText(messages: readonly ChatMessage[]): string {
	return historyText(messages.map((message) => ({ ...message, id: undefined })));
}

/** The first line, from 0, in which two texts differ; the last line where they are equal. */
export function firstDifference(before: string, after: string): number {
	const [left, right] = [before.split('\n'), after.split('\n')];
	const found = right.findIndex((line, index) => line !== left[index]);
	return found < 0 ? right.length - 1 : found;
}

/** A message as one entry of a list: who, and its beginning. */
export function messageLabel(message: ChatMessage): { label: string; detail: string } {
	const text = bodyOf(message).replace(/\s+/g, ' ').trim();
	return { label: kindText(message), detail: text.length > 120 ? `${text.slice(0, 119)}…` : text };
}
