/** Reads the original messages that a placeholder or a summary replaces. */

import type { Row } from '../core/history/row.ts';
import { createMessageNotFound, type State } from '../core/history/state.ts';
import { joinMessageText } from '../core/history/text.ts';
import { findReplacedRows } from '../core/history/view.ts';
import type { OwnParams } from '../protocol/declaration.ts';
import type { OriginalParams, OriginalResult } from '../protocol/history.ts';
import { readRowMessages } from './bodies.ts';
import type { Session } from './session.ts';

/** UTF-16 units returned if no limit is given. */
const defaultExcerptUnits = 50_000;
const maxMatches = 50;
/** Maximum length of the line that is shown of a match. UTF-16 units. */
const maxLineUnits = 300;

/** Returns the original rows of a message: its own row, or all rows that a summary or marker replaced. */
function findOriginalRows(state: State, messageId: string): Row[] {
	const seq = state.index.get(messageId);
	const row = seq === undefined ? undefined : state.rows[seq];
	const rows = row ? [row] : findReplacedRows(state, messageId);
	if (rows) return rows;
	throw createMessageNotFound(messageId);
}

function findMatches(content: string, search: string): NonNullable<OriginalResult['matches']> {
	const matches: NonNullable<OriginalResult['matches']> = [];
	let line = 1;
	let countedTo = 0;
	for (let index = content.indexOf(search); index >= 0 && matches.length < maxMatches; ) {
		for (
			let from = content.indexOf('\n', countedTo);
			from >= 0 && from < index;
			from = content.indexOf('\n', from + 1)
		) {
			line++;
			countedTo = from + 1;
		}
		const start = content.lastIndexOf('\n', index - 1) + 1;
		const end = content.indexOf('\n', index);
		const fullLine = content.slice(start, end < 0 ? content.length : end);
		const text = fullLine.length > maxLineUnits ? content.slice(index, index + maxLineUnits) : fullLine;
		matches.push({ offset: index, line, text: text.toWellFormed() });
		index = content.indexOf(search, index + Math.max(1, search.length));
	}
	return matches;
}

/** Returns an excerpt and search matches of a message's original text, or of all messages that a summary replaced. */
export async function readOriginalMessage(
	session: Session,
	params: OwnParams<OriginalParams>,
): Promise<OriginalResult> {
	const rows = findOriginalRows(session.state, params.messageId);
	const resolvedMessages = await readRowMessages(session, rows);
	const [onlyMessage] = resolvedMessages;
	const content =
		rows.length === 1 && onlyMessage
			? joinMessageText(onlyMessage.message)
			: resolvedMessages
					.map(({ message }) => `[${message.id} ${message.role}]\n${joinMessageText(message)}`)
					.join('\n\n');
	const offset = Math.min(content.length, Math.max(0, params.offset ?? 0));
	const end = Math.min(content.length, offset + Math.max(0, params.limit ?? defaultExcerptUnits));
	return {
		content: content.slice(offset, end).toWellFormed(),
		totalChars: content.length,
		hasMore: end < content.length,
		...(params.search && { matches: findMatches(content, params.search) }),
	};
}
