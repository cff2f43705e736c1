/** Limits on how far usage reported by providers is trusted. */

/** Raw tokens that are assumed to support a factor of 1. They dampen the effect of the first few reports. */
export const pseudoEvidenceTokens = 4000;
/** Bounds of the learned factor. No provider is known to count more than two tokens for one of ours. */
export const factorBounds = { min: 0.5, max: 2 } as const;
/**
 * Maximum ratio of reported to counted growth, or of counted to reported. A larger ratio has another cause and is not
 * learned.
 */
export const maxGrowthRatio = 3;

/**
 * Bounds of the weight that a single refusal gives the history. The upper bound follows
 * `factorBounds`; below the lower bound the history is too small to matter.
 */
export const refusalBounds = { min: 0.25, max: 2 } as const;
/** Maximum number of consecutive refusals that raise the upper bound. */
export const maxRefusals = 2;
