/** A compaction that saves fewer tokens than this, or a smaller share of the history, is left undone. */
const least = { tokens: 32, share: 0.01 };

/**
 * Whether saving so many tokens of a history is worth it where nothing would fail otherwise: a change costs the
 * provider's prompt cache, and the reader the original.
 */
export function isWorthIt(tokensSaved: number, tokensBefore: number): boolean {
	return tokensSaved >= least.tokens && tokensSaved >= least.share * tokensBefore;
}
