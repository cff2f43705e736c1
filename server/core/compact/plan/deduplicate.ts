/** Stage "deduplicate": superseded reads and repeated results go, which costs a reader nothing. */

import { disabled, reached, type Stage } from '../stage.ts';
import { duplicatesOf, replaceDuplicates } from './duplicates.ts';

export const deduplicate: Stage = {
	name: 'deduplicate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.deduplicate) return disabled;
		if (draft.tokens <= draft.target) return { ...reached(draft, input), filesDeduped: 0 };
		const duplicates = await duplicatesOf(draft, effects);
		if (duplicates.length === 0) return { reason: 'no read is superseded by a later one', filesDeduped: 0 };
		return { filesDeduped: await replaceDuplicates(draft, duplicates, effects) };
	},
};
