/** Computes the smallest size that a compaction can reach. */

import { continuesBatch, type Draft, getTokens, hasKind, isProtected, rowKind } from './draft.ts';
import type { Policy } from './policy.ts';
import { tuning } from './tuning.ts';

/** Approximate tokens of the placeholder that replaces a cleared result. */
const placeholderTokens = 60;

/**
 * Returns the tokens of the newest message with its calls and placeholders for their results, up to `maxNewestTokens`. All
 * these stay in every compaction, like protected messages. On the meter's scale.
 */
function sumNewestMessageTokens(draft: Draft): number {
	let sum = 0;
	for (let item = draft.view.length - 1; item >= 0; item--) {
		const own = isProtected(draft, item) ? 0 : getTokens(draft, item);
		sum += hasKind(draft, item, rowKind.result) ? Math.min(placeholderTokens, own) : own;
		if (!continuesBatch(draft, item)) break;
	}
	return Math.min(sum, tuning.target.maxNewestTokens);
}

/** Whether protected messages take most of the target. */
export function isCrowdedByProtected({ protectedTokens }: Draft, target: number): boolean {
	return protectedTokens > tuning.target.protectedShareLimit * target;
}

/**
 * Returns the target, or a higher floor that does not depend on the target, in tokens on the meter's scale. The floor
 * leaves tokens for a short summary next to protected messages, which no stage shortens. If user messages may be cut
 * because the request would fail otherwise, the target applies.
 * @param costFactor tokens of prose in the history's language for each token of the same prose in English
 */
export function computeReachableTarget(draft: Draft, target: number, policy: Policy, costFactor = 1): number {
	if (policy.cutUserMessages !== 'never') return target;
	const { protectedTokens } = draft;
	const { minTokens, maxTokens, shareOfHistory, shareOfRest, ...limits } = tuning.rest;
	const rest = draft.tokens - protectedTokens;
	const part = shareOfRest * rest;
	const words = sumNewestMessageTokens(draft) + Math.min(tuning.target.minSummaryTokens, part);
	const small = Math.max(Math.min(costFactor * minTokens, part), shareOfHistory * draft.tokens);
	const share = Math.min(costFactor * maxTokens * Math.max(1, draft.meter.factor), small);
	const nextToHuge = costFactor * limits.tokensNextToHuge + limits.shareOfHuge * protectedTokens;
	const nextToLarge = Math.min(limits.shareOfProtected * protectedTokens, nextToHuge, rest / 2);
	// Small protected messages leave enough tokens under every target, so limit the floor to their size.
	const floor = Math.max(words, Math.min(protectedTokens, share), nextToLarge);
	return Math.max(target, protectedTokens + Math.min(rest, floor));
}
