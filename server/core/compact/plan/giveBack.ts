/** What a summary leaves of the target goes to results that were shortened to make room for it. */

import { type Draft, isHidden } from '../draft.ts';

/** Shows shortened results whole again, newest first, as far as the target allows. O(shortened items). */
export function giveBack(draft: Draft): void {
	if (draft.standIns.summarize === undefined) return;
	for (const [item, { stage }] of [...draft.shown].sort(([a], [b]) => b - a)) {
		if (stage === 'deduplicate' || isHidden(draft, item)) continue;
		const more = (draft.before[item] ?? 0) - (draft.now[item] ?? 0);
		if (draft.tokens + more > draft.target) continue;
		draft.tokens += more;
		draft.now[item] = draft.before[item] ?? 0;
		draft.shown.delete(item);
		draft.touched--;
	}
}
