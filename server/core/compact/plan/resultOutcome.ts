/** Describes the outcome of a call for the placeholder of its result. */

import type { IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { judgeCall } from '../../analysis/callEnd.ts';
import { renderOutcome } from '../../analysis/calls.ts';
import { totalsPattern } from '../../analysis/checkOutput.ts';
import { createSource } from '../../analysis/messageSource.ts';
import { truncateAtWord } from '../../analysis/quote.ts';
import type { Row } from '../../history/row.ts';
import type { Draft, Effects } from '../draft.ts';

/** Maximum length of an outcome in a placeholder, in UTF-16 units. */
const maxNoteOutcome = 100;

/**
 * Returns the outcome of each result's call, such as `exit 2: no ledger.h`. Empty for other messages, and for calls that
 * neither failed nor checked the work. Also reads the messages that contain the calls.
 */
export async function describeOutcomes(
	{ rows }: Draft,
	results: readonly Row[],
	messages: readonly IdentifiedMessage[],
	effects: Effects,
): Promise<string[]> {
	const callers = await effects.read(results.map((row) => findCaller(rows, row)));
	return results.map((row, index) => {
		const message = messages[index];
		return message?.role === 'tool' ? describeOutcome(row, message, callers[index]?.toolCalls) : '';
	});
}

/** Returns the row of the call that a result answers; the result's row if there is none. */
function findCaller(rows: readonly Row[], result: Row): Row {
	for (let seq = result.seq - 1; seq >= result.batch; seq--) {
		if (rows[seq]?.calls?.some(({ id }) => id === result.answers)) return rows[seq] as Row;
	}
	return result;
}

function describeOutcome(row: Row, message: IdentifiedMessage, calls: readonly ToolCall[] = []): string {
	const call = calls.find(({ id }) => id === row.answers) ?? { id: '', name: row.tool ?? '', args: {} };
	const end = judgeCall(call, createSource(row, message));
	if (!end.failed && !end.hasHiddenFailure && !(end.isCheck && totalsPattern.test(end.message))) return '';
	// An outcome may have two joined lines. A placeholder shows only the first.
	const line = end.isCheck ? end.message : end.message.split(' | ', 1).join();
	return truncateAtWord(
		renderOutcome({ ...end, message: line, settledBy: undefined }).replace(' → ', ''),
		maxNoteOutcome,
	);
}
