/** Stage "deduplicate" for a selection: clears only the selected results, whatever the target. */

import type { Clearing, Clearings } from '../clearings.ts';
import { type Draft, getUnit, hasKind, type Item, isProtected, rowKind, shortenItem } from '../draft.ts';
import type { Stage } from '../stage.ts';
import { workLimits } from '../tuning.ts';

/** Returns the clearing of an item; undefined if the item is not selected or must not change. */
function findClearing(draft: Draft, item: Item, { results }: Clearings): Clearing | undefined {
	if (!hasKind(draft, item, rowKind.inPlace) || isProtected(draft, item)) return undefined;
	return results.get(draft.firstSeqs[item] ?? -1);
}

/** Returns the stage that clears a selection. */
export function createClearStage(selection: Clearings): Stage {
	return {
		name: 'deduplicate',
		applies: () => true,
		async run(draft, { effects }) {
			let count = 0;
			for (let item = 0; item < draft.view.length; item++) {
				if (item % workLimits.unitsPerSlice === 0) await effects.pause();
				const clearing = findClearing(draft, item, selection);
				if (clearing === undefined) continue;
				const { id } = getUnit(draft, item).row;
				const { note: content, counts, reason } = clearing;
				const message = { id, role: 'tool' as const, content };
				const shown = { stage: 'deduplicate', message, counts, made: 'deduplicated' } as const;
				if (shortenItem(draft, item, { ...shown, reason, isPlaceholder: true })) count++;
			}
			return count > 0 ? {} : { reason: selection.emptyReason };
		},
	};
}
