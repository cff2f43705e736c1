/** The form of a view for the checks of false statements: each line is marked as original or written by the compaction. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contentText, messageText } from '../messageText.ts';
import { memberList, oldKey } from './fileEvents.ts';
import { type PastCall, pastCalls } from './pastCalls.ts';

/** A statement of a view that is not true, or a line that says nothing. */
export interface FalseStatement {
	kind:
		| 'failed call'
		| 'stale check'
		| 'removed code'
		| 'removed file'
		| 'existing file'
		| 'row without key'
		| 'label'
		| 'noise';
	/** The line of the view that makes the false statement. */
	line: string;
	/** The fact in the history that contradicts the line. */
	reason: string;
}

export interface ViewLine {
	text: string;
	/** Whether the compaction wrote the line: its message does not occur verbatim in the history. */
	isOwn: boolean;
	/** Whether an edit of the same message removes the line: it is part of the call's old text. */
	isOldSide?: true;
	/** The call whose result contains the line, perhaps shortened. */
	call?: PastCall;
}

/** The input of every check. Only the view itself comes from the compaction. */
export interface CheckedView {
	history: readonly ChatMessage[];
	calls: readonly PastCall[];
	lines: readonly ViewLine[];
	/** Lines that a user typed, trimmed. Quoting them is never false. */
	userLines: ReadonlySet<string>;
}

/** Prepares a view of a history for the checks. O(characters of both). */
export function checkedView(history: readonly ChatMessage[], view: readonly ChatMessage[]): CheckedView {
	const calls = pastCalls(history);
	const originals = new Set(history.map(originalKey));
	const resultOf = new Map(calls.map((call) => [call.id, call]));
	const answeredIds = new Set(view.map(({ toolCallId }) => toolCallId));
	const lines = view.flatMap((message): ViewLine[] => {
		const isOwn = !originals.has(originalKey(message));
		const call = resultOf.get(message.toolCallId ?? '');
		const members = (message.toolCalls ?? []).flatMap(({ args }) => memberList(args));
		const oldTexts = members.flatMap(([key, text]) => (oldKey.test(key) ? text.split('\n') : []));
		const oldLines = new Set(oldTexts.map((text) => text.trim()));
		const said = new Set(contentText(message).split('\n'));
		// The result next to a call that was cut says how it ended, as that of an unchanged call.
		const isAnswered = (message.toolCalls ?? []).some(({ id }) => answeredIds.has(id));
		return messageText(message)
			.split('\n')
			.map((text) => ({
				text,
				isOwn: isOwn && (!isAnswered || said.has(text)),
				...(oldLines.has(text.trim()) && { isOldSide: true as const }),
				...(call && { call }),
			}));
	});
	const typed = history.filter(({ role }) => role === 'user').flatMap((one) => messageText(one).split('\n'));
	return { history, calls, lines, userLines: new Set(typed.map((line) => line.trim())) };
}

function originalKey(message: ChatMessage): string {
	return `${message.role}\n${messageText(message)}`;
}

/** Returns a line with some lines before and after it, as one text. */
export function surroundingText(
	lines: readonly ViewLine[],
	index: number,
	before: number,
	after: number,
): string {
	return lines
		.slice(Math.max(0, index - before), index + after + 1)
		.map(({ text }) => text)
		.join('\n');
}

/** Returns a line without the quote marks, bullets and line numbers that a view puts before quoted lines. */
export function plainLine(text: string): string {
	return text.replace(/^[\s>*•|]*(?:\d+(?:→|\t|\||: ))?\s*/, '').trim();
}
