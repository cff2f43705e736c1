/** How far down a compaction can go. */

import { continuesBatch, type Draft, hasKind, isProtected, rowKind, tokensOf } from './draft.ts';
import type { Policy } from './policy.ts';
import { tuning } from './tuning.ts';

/** Approximate tokens of the placeholder that replaces a cleared result. */
const placeholderTokens = 60;

/**
 * Returns the tokens of the newest message with its calls and placeholders for their results, up to
 * `maxNewestTokens`. They stay in every compaction, as protected messages do. On the meter's scale.
 */
function sumNewestMessageTokens(draft: Draft): number {
	let sum = 0;
	for (let item = draft.view.length - 1; item >= 0; item--) {
		const own = isProtected(draft, item) ? 0 : tokensOf(draft, item);
		sum += hasKind(draft, item, rowKind.result) ? Math.min(placeholderTokens, own) : own;
		if (!continuesBatch(draft, item)) break;
	}
	return Math.min(sum, tuning.target.maxNewestTokens);
}

/** Whether protected messages leave no room for anything else. */
export function isCrowdedByProtected({ protectedTokens }: Draft, target: number): boolean {
	return protectedTokens > tuning.target.protectedShareLimit * target;
}

/**
 * Returns the tokens to come down to, on the meter's scale: the target, or a floor that does not depend on it. The
 * floor leaves the rest a short summary next to protected messages, which no stage shortens. If the request would
 * fail otherwise, the target applies.
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
	// Small protected messages leave enough under every target, so the floor is at most their size.
	const floor = Math.max(words, Math.min(protectedTokens, share), nextToLarge);
	return Math.max(target, protectedTokens + Math.min(rest, floor));
}
