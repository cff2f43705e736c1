/** What people are told of decisions, a line each. */

import { isFields } from '../server/core/shape.ts';
import type { DecisionTold } from './shapes.ts';

const thousands = (tokens: number): string => (tokens < 1000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`);

/** After a compaction. */
export function decidedText({ tokensBefore, tokensAfter }: DecisionTold): string {
	return `From the next request on the model gets ${thousands(tokensAfter)} tokens of this conversation instead of ${thousands(tokensBefore)}; /contextd-undo takes it back.`;
}

/** After an undo. */
export const undoneText =
	'From the next request on the model gets what it got before, with all that came since.';

/**
 * Returns why an undo is refused, for a person.
 * @param tokens of the history after the undo
 * @param limit tokens that fit
 */
export function tooLargeText(tokens: number, limit: number): string {
	return `Not undone: does not fit, ${thousands(tokens)} tokens, limit ${thousands(limit)}. contextd_recall reads what was left out.`;
}

/** Returns why the daemon refused an undo, for a person; undefined for any error but that of too large a history. */
export function tooLargeUndoText(error: unknown): string | undefined {
	const data = isFields(error) ? error.data : undefined;
	if (!isFields(data) || data.kind !== 'ContextBudgetExceeded') return undefined;
	return tooLargeText(Number(data.estimated), Number(data.available));
}
