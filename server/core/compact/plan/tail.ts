/** Where the summarized part of a history ends and the kept tail begins. */

import { type Draft, type Item, isOf, isOneGroup, kind, tokensOf } from '../draft.ts';

/** What stays wherever the tail begins. */
const stays = kind.protected | kind.guarded;

/**
 * The first item of the tail: as many of the newest groups as fit into `budget` tokens, the last one always, and the
 * newest `recentCount` messages as long as they take no more than `recentBudget`. O(tail).
 */
export function tailStart(draft: Draft, budget: number, recentCount: number, recentBudget: number): Item {
	const end = draft.view.length;
	let start = end;
	let tokens = 0;
	for (let from = end, to = end; to > 0; to = from) {
		from = to - 1;
		while (isOneGroup(draft, from)) from--;
		// What stays wherever the tail begins takes nothing of its budget.
		let own = 0;
		for (let item = from; item < to; item++) own += isOf(draft, item, stays) ? 0 : tokensOf(draft, item);
		tokens += own;
		const isRecent = end - to < recentCount && tokens <= recentBudget;
		if (start < end && tokens > budget && !isRecent) break;
		// A history may be cut in front of any group but a result alone.
		if (!isOf(draft, from, kind.result)) start = from;
	}
	return start;
}
