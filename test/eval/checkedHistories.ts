/** Builds histories and views for tests of the checks of false statements. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';
import type { FalseStatement } from './falseStatements/checkedView.ts';
import { falseStatements } from './falseStatements/falseStatements.ts';

let calls = 0;

/** Returns a call and its result. */
export function createCall(name: string, args: object, result: string, isError = false): ChatMessage[] {
	const id = `call-${++calls}`;
	return [
		{ role: 'assistant', content: '', toolCalls: [{ id, name, args }] },
		{ role: 'tool', toolCallId: id, content: result, ...(isError && { isError }) },
	];
}

/** Returns a call of a shell and its result. */
export function createCommand(command: string, result: string, isError = false): ChatMessage[] {
	return createCall('bash', { command }, result, isError);
}

/** Returns a view that consists of a summary with these lines. */
export function createSummary(...lines: string[]): ChatMessage[] {
	return [{ role: 'user', content: lines.join('\n') }];
}

/** Returns the kinds of false statements that the checks find in a view. */
export function listKinds(
	history: readonly ChatMessage[],
	view: readonly ChatMessage[],
): FalseStatement['kind'][] {
	return falseStatements(history, view).map(({ kind }) => kind);
}
