/** Stage "truncate": whole exchanges leave from the oldest, and at last the largest messages lose their middle. */

import { disabled, reached, type Stage } from '../stage.ts';
import { cuttable, emergencyCut, mayCut } from './emergency.ts';
import { slideWindow } from './slideWindow.ts';
import { spokenItems } from './spokenItems.ts';

export const truncate: Stage = {
	name: 'truncate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects, ids } = input;
		if (!policy.stages.truncate) return disabled;
		if (draft.tokens <= draft.target) return reached(draft, input);
		const slid = slideWindow(draft, policy.recentCount, spokenItems(draft), effects, ids.marker);
		const cut = mayCut(policy) ? await emergencyCut(draft, cuttable(draft.items), draft.target, effects) : 0;
		return slid || cut > 0 ? {} : { reason: 'only protected messages are left' };
	},
};
