/** The last of stage "truncate", where the request would fail anyway: user messages that may be cut, then the newest messages. */

import { isProtected, itemsWhere } from '../draft.ts';
import type { Stage } from '../stage.ts';
import { cuttableItems, emergencyCut } from './emergency.ts';
import { guardedItems } from './guarded.ts';
import { slideWindow } from './slideWindow.ts';

export const giveUp: Stage = {
	name: 'truncate',
	applies: (draft, { policy }) =>
		policy.stages.truncate && policy.cutUserMessages !== 'never' && draft.tokens > draft.target,
	async run(draft, { protection, effects, ids }) {
		const users = itemsWhere(
			draft,
			(item) => isProtected(draft, item) && protection.cuttable.has(draft.froms[item] ?? 0),
		);
		const items = [...cuttableItems(draft), ...guardedItems(draft), ...users];
		const cut = await emergencyCut(draft, items, draft.target, effects);
		const slid = slideWindow(draft, 0, new Set(), effects, ids.marker);
		return slid || cut > 0 ? {} : { reason: 'only protected messages are left' };
	},
};
