/** Short messages that the user typed: they stay under every combination of stages. */

import { isFromUser } from '../../history/protection.ts';
import type { Draft, Item } from '../draft.ts';
import { userWordsShare } from '../summary/tuning.ts';
import { longestVerbatim } from '../thread/userWords.ts';

/** The user's short messages, newest first as far as their share of the target goes. O(items). */
export function spokenItems(draft: Draft): Set<Item> {
	const kept = new Set<Item>();
	let allowed = userWordsShare * draft.target;
	for (const item of draft.items.toReversed()) {
		const { row } = item.unit;
		if (item.protected || !isFromUser(row) || row.injected || row.chars > longestVerbatim) continue;
		allowed -= item.tokens;
		if (allowed < 0) break;
		kept.add(item);
	}
	return kept;
}
