/** How far down a compaction goes. */

import type { Breakdown } from '../measure/estimate.ts';
import type { Budget } from '../models/budget.ts';
import type { Settings } from '../settings/settings.ts';
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
