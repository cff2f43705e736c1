/** The last of stage "truncate", where the request would fail anyway: user messages that may be cut, then the newest messages. */

import type { Stage } from '../stage.ts';
import { cuttable, emergencyCut } from './emergency.ts';
import { guardedItems } from './guarded.ts';
import { slideWindow } from './slideWindow.ts';

export const giveUp: Stage = {
	name: 'truncate',
	applies: (draft, { policy }) =>
		policy.stages.truncate && policy.cutUserMessages !== 'never' && draft.tokens > draft.target,
	async run(draft, { protection, effects, ids }) {
		const users = draft.items.filter((item) => item.protected && protection.cuttable.has(item.unit.from));
		const items = [...cuttable(draft.items), ...guardedItems(draft), ...users];
		const cut = await emergencyCut(draft, items, draft.target, effects);
		const slid = slideWindow(draft, 0, new Set(), effects, ids.marker);
		return slid || cut > 0 ? {} : { reason: 'only protected messages are left' };
	},
};
