/** Describes the outcome of a call for the placeholder of its result. */

import type { IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { judgeCall } from '../../analysis/calls/callEnd.ts';
import { renderOutcome } from '../../analysis/calls/calls.ts';
import type { CallEnd } from '../../analysis/message/callOutcome.ts';
import { createSource } from '../../analysis/message/messageSource.ts';
import { totalsPattern } from '../../analysis/shell/checkOutput.ts';
import { truncateAtWord } from '../../analysis/text/quote.ts';
import type { Row } from '../../history/row.ts';
import type { Draft, Effects } from '../draft.ts';
import type { PlanInput } from '../stage.ts';

/** Maximum length of an outcome in a placeholder, in UTF-16 units. */
const maxNoteOutcome = 100;

/**
 * Returns the outcome of each result's call, such as `exit 2: no ledger.h`. Empty for other messages, and for calls that
 * neither failed nor checked the work. Also reads the messages that contain the calls, unless their outcomes are known.
 */
export async function describeOutcomes(
	{ rows }: Draft,
	results: readonly Row[],
	messages: readonly IdentifiedMessage[],
	{ read, describeKnownEnd }: Pick<Effects, 'read'> & Pick<PlanInput, 'describeKnownEnd'>,
): Promise<string[]> {
	const knownEnds = results.map((row) => describeKnownEnd?.(row));
	const unknown = results.filter((_, index) => knownEnds[index] === undefined);
	const callers = await read(unknown.map((row) => findCaller(rows, row)));
	return results.map((row, index) => {
		const message = messages[index];
		if (message?.role !== 'tool') return '';
		const calls = callers[unknown.indexOf(row)]?.toolCalls;
		return knownEnds[index] ?? describeEnd(judgeResult(row, message, calls));
	});
}

/** Returns the row of the call that a result answers; the result's row if there is none. */
function findCaller(rows: readonly Row[], result: Row): Row {
	for (let seq = result.seq - 1; seq >= result.batch; seq--) {
		if (rows[seq]?.calls?.some(({ id }) => id === result.answers)) return rows[seq] as Row;
	}
	return result;
}

function judgeResult(row: Row, message: IdentifiedMessage, calls: readonly ToolCall[] = []): CallEnd {
	const call = calls.find(({ id }) => id === row.answers) ?? { id: '', name: row.tool ?? '', args: {} };
	return judgeCall(call, createSource(row, message));
}

/** Returns the outcome of a call for a placeholder; empty if the call neither failed nor checked the work. */
export function describeEnd(end: CallEnd): string {
	if (!end.failed && !end.hasHiddenFailure && !(end.isCheck && totalsPattern.test(end.message))) return '';
	// An outcome may have two joined lines. A placeholder shows only the first.
	const line = end.isCheck ? end.message : end.message.split(' | ', 1).join();
	return truncateAtWord(
		renderOutcome({ ...end, message: line, settledBy: undefined }).replace(' → ', ''),
		maxNoteOutcome,
	);
}
