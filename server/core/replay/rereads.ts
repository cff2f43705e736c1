/**
 * Estimates what an agent reads again because a compaction removed it.
 *
 * The share for a model's compaction was measured on 18 compactions of Claude Code. Repeated reads of files took 2,500
 * tokens in the 90 messages before a compaction, and 11,900 in the 90 messages after it. The difference is 0.15 of the
 * removed tokens, in about two reads of 5,000 tokens.
 *
 * The share for contextd's views was measured on 33 compactions, by the facts that the agent wrote again. The model's
 * summary lacked 0.48 of these facts. Views of one, two and four times the summary's size lacked 0.38, 0.21 and 0.11:
 * about 0.85 of the summary's loss, divided by the multiple.
 */

/** Tokens read again for each token that a model's compaction removed. */
const modelRereadShare = 0.15;
/** Loss of a view that is as large as a model's summary, as a share of the summary's loss. */
const equalViewLoss = 0.85;
/** Tokens of one request that reads something again. */
export const tokensPerReread = 5000;

/** Returns the tokens that are read again after a model's compaction. */
export function estimateRereadAfterModel(removedTokens: number): number {
	return modelRereadShare * Math.max(0, removedTokens);
}

/**
 * Returns the tokens that are read again after a compaction by contextd.
 *
 * @param viewTokens tokens of the history after the compaction
 * @param modelRemainingTokens tokens of the history after the agent's own compaction
 */
export function estimateRereadAfterView(
	removedTokens: number,
	viewTokens: number,
	modelRemainingTokens: number,
): number {
	const loss = Math.min(1, (equalViewLoss * modelRemainingTokens) / Math.max(1, viewTokens));
	return loss * estimateRereadAfterModel(removedTokens);
}
