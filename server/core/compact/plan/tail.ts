/** Where the summarized part of a history ends and the kept tail begins. */

import type { Item } from '../draft.ts';

/** Whether a history may be cut in front of this group: never in front of a tool result. */
function mayStart(group: readonly Item[]): boolean {
	const row = group[0]?.unit.row;
	return row !== undefined && row.role !== 'tool';
}

/** What stays wherever the tail begins takes nothing of its budget. */
function tokensOf(group: readonly Item[]): number {
	return group.reduce((sum, item) => sum + (item.protected || item.guarded ? 0 : item.tokens), 0);
}

/**
 * Index of the first group of the tail: as many of the newest groups as fit into `budget` tokens, the last one
 * always, and the newest `recentCount` messages as long as they take no more than `recentBudget`.
 */
export function tailStart(
	groups: readonly (readonly Item[])[],
	budget: number,
	recentCount: number,
	recentBudget: number,
): number {
	let start = groups.length;
	let tokens = 0;
	let messages = 0;
	for (let index = groups.length - 1; index >= 0; index--) {
		const group = groups[index] ?? [];
		tokens += tokensOf(group);
		messages += group.length;
		const isRecent = messages - group.length < recentCount && tokens <= recentBudget;
		if (start < groups.length && tokens > budget && !isRecent) break;
		if (mayStart(group)) start = index;
	}
	return start;
}
