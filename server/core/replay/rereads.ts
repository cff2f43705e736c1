/**
 * Estimates what an agent reads again because a compaction removed it.
 *
 * The share for compactions by a model was measured on 18 of Claude Code. In the 90 messages before such a compaction,
 * 2,500 tokens were repeated reads of files; in the 90 messages after it, 11,900. The difference is 0.15 of the removed
 * tokens, in about two reads of 5,000 tokens.
 *
 * The share for views of contextd was measured on 33 compactions, by the facts that the agent wrote again. The model's
 * summary lacked 0.48 of them. A view of one, two and four times its size lacked 0.38, 0.21 and 0.11. This is about 0.85
 * of the summary's loss, divided by that multiple.
 */

/** Tokens read again for each token that a model's own compaction removed. */
const modelRereadShare = 0.15;
/** Loss of a view that is as large as a model's summary, as a share of the summary's loss. */
const equalViewLoss = 0.85;
/** Tokens of one request that reads something again. */
export const tokensPerReread = 5000;

/** Returns the tokens that are read again after a model's own compaction. */
export function estimateRereadAfterModel(removedTokens: number): number {
	return modelRereadShare * Math.max(0, removedTokens);
}

/**
 * Returns the tokens that are read again after a compaction by contextd.
 *
 * @param viewTokens tokens of the history that the compaction left
 * @param modelLeaves tokens of the history that the agent's own compaction would have left
 */
export function estimateRereadAfterView(
	removedTokens: number,
	viewTokens: number,
	modelLeaves: number,
): number {
	const loss = Math.min(1, (equalViewLoss * modelLeaves) / Math.max(1, viewTokens));
	return loss * estimateRereadAfterModel(removedTokens);
}
