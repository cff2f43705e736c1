/**
 * What an agent reads again because a compaction removed it.
 *
 * Measured on 18 compactions by Claude Code's own model: in the 90 messages after one, files that had been read before
 * made up 11,900 tokens, in the 90 messages before it 2,500. The difference is 0.15 of what the compaction removed, in
 * about two reads of 5,000 tokens. What a view of contextd loses was measured on 33 compactions: of the facts that the
 * agent wrote again, the model's summary lacked 0.48; a view of one, two and four times its size lacked 0.38, 0.21 and
 * 0.11, which is about 0.85 of the summary's loss divided by that multiple.
 */

/** Tokens read again for each token that a model's own compaction removed. */
const modelRereadShare = 0.15;
/** What a view as large as the model's summary loses, as a share of what that summary loses. */
const equalViewLoss = 0.85;
/** Tokens of one request that reads something again. */
export const tokensPerReread = 5000;

/** Returns the tokens that are read again after a model's own compaction. */
export function rereadAfterModel(removedTokens: number): number {
	return modelRereadShare * Math.max(0, removedTokens);
}

/**
 * Returns the tokens that are read again after a compaction by contextd.
 *
 * @param viewTokens what it left of the history
 * @param modelLeaves what the agent's own compaction would have left
 */
export function rereadAfterView(removedTokens: number, viewTokens: number, modelLeaves: number): number {
	const loss = Math.min(1, (equalViewLoss * modelLeaves) / Math.max(1, viewTokens));
	return loss * rereadAfterModel(removedTokens);
}
