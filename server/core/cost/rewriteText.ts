/** What a compaction costs at the provider, in words. */

import type { CacheCost } from '../../protocol/compaction.ts';

/**
 * Returns in one phrase what rewriting the provider's cache costs and when it pays back; undefined if it costs nothing
 * beyond the tokens themselves, or nobody recorded it.
 * @param figure formats a number of tokens
 */
export function rewriteText(
	cache: CacheCost | undefined,
	figure: (tokens: number) => string,
): string | undefined {
	if (cache === undefined || cache.costTokens === 0) return undefined;
	const { rewrittenTokens, costTokens, paysBackAfterCalls: calls } = cache;
	const count = calls === 1 ? '1 call' : `${calls} calls`;
	return `${figure(rewrittenTokens)} tokens rewritten (price: ${figure(costTokens)} of input); pays back in ${count}`;
}

/** Says why a compaction is not due yet although the usual threshold is reached. */
export const heldBackText = 'held back: now it would not pay back before the next one';
