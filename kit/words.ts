/** What people are told of decisions, a line each. */

import type { ContextStats } from '../server/protocol/stats.ts';
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
 * Where an undo would need more room than there is.
 * @param tokens that it would come to
 */
export function tooLargeText(tokens: number, { availableInputTokens }: ContextStats): string {
	return `Not undone: ${thousands(tokens)} tokens would not fit into the ${thousands(availableInputTokens)} there are. contextd_recall reads what was left out.`;
}
