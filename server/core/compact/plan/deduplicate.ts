/** Stage "deduplicate": superseded reads and repeated results go, which costs a reader nothing. */

import { disabled, reached, type Stage } from '../stage.ts';
import { replaceAttachedAgain } from './attachedAgain.ts';
import { duplicatesOf, replaceDuplicates } from './duplicates.ts';

export const deduplicate: Stage = {
	name: 'deduplicate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.deduplicate) return disabled;
		if (draft.tokens <= draft.target) return { ...reached(draft, input), filesDeduped: 0 };
		const duplicates = await duplicatesOf(draft, effects);
		const read = duplicates.length > 0 ? await replaceDuplicates(draft, duplicates, effects) : 0;
		const attached = await replaceAttachedAgain(draft, effects);
		if (read + attached > 0 || duplicates.length > 0) return { filesDeduped: read + attached };
		return { reason: 'no read is superseded by a later one', filesDeduped: 0 };
	},
};
