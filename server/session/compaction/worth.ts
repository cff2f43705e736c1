/** Whether what a compaction saves is worth a change of the history. */

import type { Policy } from '../../core/compact/policy.ts';

/** A compaction that saves fewer tokens than this, or a smaller share of the history, is left undone. */
const least = { tokens: 32, share: 0.01 };

/**
 * Whether saving so many tokens of a history is worth it: a change costs the provider's prompt cache and the reader
 * the original. Where the request would fail otherwise, which is where user messages may be cut, all counts.
 */
export function isWorthIt(
	tokensSaved: number,
	tokensBefore: number,
	{ cutUserMessages }: Pick<Policy, 'cutUserMessages'>,
): boolean {
	if (cutUserMessages !== 'never') return tokensSaved > 0;
	return tokensSaved >= least.tokens && tokensSaved >= least.share * tokensBefore;
}
