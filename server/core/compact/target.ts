/** How far down a compaction goes. */

import type { Settings } from '../../protocol/settings.ts';
import type { Breakdown } from '../../protocol/stats.ts';
import type { Budget } from '../models/budget.ts';
import { scaledToWindow } from './policy.ts';

/** What the history may use: what is available less everything else in the breakdown. Tokens, at least 0. */
export function historyBudget(breakdown: Breakdown, available: number): number {
	const others =
		breakdown.systemPrompt +
		breakdown.currentPrompt +
		breakdown.toolDefinitions +
		breakdown.fileAttachments +
		breakdown.other;
	return Math.max(0, available - others);
}

/**
 * Tokens that the history should come down to where no target is named: the low-water mark, a share of what it may
 * use, with the reserve floor kept free.
 */
export function defaultTarget(breakdown: Breakdown, budget: Budget, settings: Settings): number {
	const usable = historyBudget(breakdown, budget.available);
	const floor = scaledToWindow(settings.compaction.reserveTokensFloor, budget.contextWindow);
	const lowWater = Math.floor(usable * settings.compaction.targetRatio);
	return Math.max(0, Math.min(lowWater, Math.max(0, usable - floor)));
}

/** A mark above this share of what the history may have before compaction is due is reached again at once. */
const nearTrigger = 0.9;
/** Where the mark lies too near, the history comes down to this share instead. */
const belowTrigger = 0.75;

/** Tokens of the whole request at which compaction is due by itself. */
function triggerTokens({ thresholds, available }: Budget, { compaction, tokenThreshold }: Settings): number {
	const byLevel =
		compaction.profile === null ? thresholds.compact : Math.min(thresholds.warning, thresholds.compact);
	return tokenThreshold > 0 ? Math.min(tokenThreshold, byLevel * available) : byLevel * available;
}

/**
 * Tokens that the history should come down to where compaction is due by itself: the low-water mark, but always
 * well below the trigger, which a low threshold or a large request around the history brings near.
 */
export function targetBelowTrigger(breakdown: Breakdown, budget: Budget, settings: Settings): number {
	const target = defaultTarget(breakdown, budget, settings);
	const room = historyBudget(breakdown, triggerTokens(budget, settings));
	return room > 0 && target > nearTrigger * room ? Math.floor(belowTrigger * room) : target;
}
