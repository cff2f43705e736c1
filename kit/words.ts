/** Decisions in the daemon's answers, and the lines that users read about them. */

import { shortTokens } from '../server/core/meter/wholeRequest.ts';
import { isFields } from '../server/core/shape.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { DecisionReport } from './conversationTypes.ts';
import type { ResultOf } from './ports.ts';

/**
 * Returns the line after a compaction.
 * @param undoCommand how the host's user undoes it; absent if the host has no such command
 */
export function compactedText({ tokensBefore, tokensAfter }: DecisionReport, undoCommand?: string): string {
	const figures = `Context reduced from ${shortTokens(tokensBefore)} to ${shortTokens(tokensAfter)} tokens (transcript untouched)`;
	return undoCommand === undefined ? `${figures}.` : `${figures}. Undo: ${undoCommand}`;
}

/**
 * Returns the line for a session in which contextd is off.
 * @param onCommand how the host's user turns it on; absent if the host has no such command
 */
export function turnedOffText(onCommand?: string): string {
	const state =
		'contextd is off in this session: the model gets what the agent sends, and the agent compacts by itself.';
	return onCommand === undefined ? state : `${state} Turn it on: ${onCommand}`;
}

/** Line after contextd was turned on. */
export const turnedOnText = 'contextd is on in this session, from the next request.';

/** Line after an undo. */
export const undoneText = 'Undone: the model gets what it got before and everything that came since.';

/**
 * Returns why an undo is refused, for a person.
 * @param tokens of the history after the undo
 * @param limit tokens that fit
 */
export function tooLargeText(tokens: number, limit: number): string {
	return `Not undone: does not fit, ${shortTokens(tokens)} tokens, limit ${shortTokens(limit)}.`;
}

/** Returns why the daemon refused an undo, for a person; undefined unless the history would be too large. */
export function tooLargeUndoText(error: unknown): string | undefined {
	const data = isFields(error) ? error.data : undefined;
	if (!isFields(data) || data.kind !== 'ContextBudgetExceeded') return undefined;
	return tooLargeText(Number(data.estimated), Number(data.available));
}

/** Returns the id of the daemon's newest step, followed by ` undone` if it was undone; empty if there is none. */
export function describeNewestStep(stats: ContextStats | null): string {
	const last = stats?.lastCompaction;
	return last === undefined ? '' : `${last.compactionId}${last.undone ? ' undone' : ''}`;
}

/** Returns the decision of a receipt, in tokens of the history. Of two steps it is the first, with which undo removes both. */
export function decisionOf(receipt: ResultOf<'context/compact'>): DecisionReport | undefined {
	if (!receipt?.compacted) return undefined;
	const { compactionIds, compactionId, tokensBefore, tokensAfter } = receipt;
	return { compactionId: compactionIds?.[0] ?? compactionId ?? '', tokensBefore, tokensAfter };
}
