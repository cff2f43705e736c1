/** Builds histories and views for tests of the checks of false statements. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';
import type { FalseStatement } from './falseStatements/checkedView.ts';
import { falseStatements } from './falseStatements/falseStatements.ts';

let calls = 0;

/** Returns a call and its result. */
export function called(name: string, args: object, result: string, isError = false): ChatMessage[] {
	const id = `call-${++calls}`;
	return [
		{ role: 'assistant', content: '', toolCalls: [{ id, name, args }] },
		{ role: 'tool', toolCallId: id, content: result, ...(isError && { isError }) },
	];
}

export function ran(command: string, result: string, isError = false): ChatMessage[] {
	return called('bash', { command }, result, isError);
}

export function summary(...lines: string[]): ChatMessage[] {
	return [{ role: 'user', content: lines.join('\n') }];
}

export function kindsIn(
	history: readonly ChatMessage[],
	view: readonly ChatMessage[],
): FalseStatement['kind'][] {
	return falseStatements(history, view).map(({ kind }) => kind);
}
