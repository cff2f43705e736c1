/** Short messages that the user typed: they stay under every combination of stages. */

import { type Draft, type Item, isOf, isProtected, kind, tokensOf, unitOf } from '../draft.ts';
import { userWordsShare } from '../summary/tuning.ts';
import { longestVerbatim } from '../thread/userWords.ts';

/** The user's short messages, newest first as far as their share of the target goes. O(items). */
export function spokenItems(draft: Draft): Set<Item> {
	const kept = new Set<Item>();
	let allowed = userWordsShare * draft.target;
	for (let item = draft.view.length - 1; item >= 0; item--) {
		if (isProtected(draft, item) || !isOf(draft, item, kind.said)) continue;
		const { row } = unitOf(draft, item);
		if (row.injected || row.chars > longestVerbatim) continue;
		allowed -= tokensOf(draft, item);
		if (allowed < 0) break;
		kept.add(item);
	}
	return kept;
}
