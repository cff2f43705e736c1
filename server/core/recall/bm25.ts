/** The Okapi BM25 formula, which scores texts by the words of a query. */

export interface Bm25Constants {
	/** The higher, the more each further occurrence of a word adds. */
	saturation: number;
	/** How much the score of a long text is lowered, 0 to 1. */
	lengthWeight: number;
	/** Maximum number of counted occurrences of a word in a text. */
	maxOccurrences: number;
}

/** Returns the weight of a word by the number of texts that contain it: the rarer, the higher. */
export function computeRarity(containingCount: number, textCount: number): number {
	return Math.log(1 + (textCount - Math.min(containingCount, textCount) + 0.5) / (containingCount + 0.5));
}

/**
 * Returns the score of a word in a text, not yet multiplied by the word's weight.
 * @param relativeLength length of the text divided by the usual length
 */
export function scoreOccurrences(
	occurrences: number,
	relativeLength: number,
	{ saturation, lengthWeight }: Bm25Constants,
): number {
	const damping = saturation * (1 - lengthWeight + lengthWeight * relativeLength);
	return (occurrences * (saturation + 1)) / (occurrences + damping);
}
