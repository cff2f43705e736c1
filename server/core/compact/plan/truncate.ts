/** Stage "truncate": removes whole exchanges, oldest first, then the middle of the largest messages. */

import { isStrictRule } from '../../analysis/ruleWords.ts';
import { getMessageText } from '../../history/text.ts';
import {
	type Draft,
	type Effects,
	getOriginal,
	getTokens,
	getUnit,
	hasKind,
	type Item,
	isHidden,
	isProtected,
	rowKind,
	selectItems,
} from '../draft.ts';
import { disabledReport, reportReached, type Stage } from '../stage.ts';
import { tuning } from '../tuning.ts';
import { canCut, emergencyCut, selectCuttableItems } from './emergency.ts';
import { slideWindow } from './slideWindow.ts';

/** Number of newest short user messages that are searched for rules if there is no summary. */
const maxScannedUserMessages = 2000;

/** Returns the guarded items that are visible and not protected. */
function selectVisibleGuardedItems(draft: Draft): Item[] {
	return draft.guardedItems.filter((item) => !isHidden(draft, item) && !isProtected(draft, item));
}

export const truncate: Stage = {
	name: 'truncate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects, ids } = input;
		if (!policy.stages.truncate) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const spokenItems = await selectSpokenItems(draft, effects);
		const slide = (keptItems: ReadonlySet<Item>): boolean =>
			slideWindow(draft, { recentCount: policy.recentCount, keptItems }, effects, ids.marker);
		const cutItems = async (items: readonly Item[]): Promise<boolean> =>
			canCut(policy) && (await emergencyCut(draft, items, draft.target, effects)) > 0;
		const rounds = [
			() => slide(new Set([...spokenItems, ...selectVisibleGuardedItems(draft)])),
			() => cutItems(selectCuttableItems(draft)),
			() => cutItems(selectVisibleGuardedItems(draft)),
			() => slide(spokenItems),
		];
		let changed = false;
		for (const round of rounds) if (draft.tokens > draft.target) changed = (await round()) || changed;
		return changed ? {} : { reason: 'only protected messages are left' };
	},
};

/** The last resort if the request would fail: also cuts user messages and removes newest messages. */
export const truncateByForce: Stage = {
	name: 'truncate',
	applies: (draft, { policy }) =>
		policy.stages.truncate && policy.cutUserMessages !== 'never' && draft.tokens > draft.target,
	async run(draft, { protection, effects, ids }) {
		const users = selectItems(
			draft,
			(item) => isProtected(draft, item) && protection.cuttableRows.has(draft.firstSeqs[item] ?? 0),
		);
		const items = [...selectCuttableItems(draft), ...selectVisibleGuardedItems(draft), ...users];
		const cutCount = await emergencyCut(draft, items, draft.target, effects);
		const hasSlid = slideWindow(draft, { recentCount: 0, keptItems: new Set() }, effects, ids.marker);
		return hasSlid || cutCount > 0 ? {} : { reason: 'only protected messages are left' };
	},
};

/**
 * Returns the user's short messages that are kept, newest first, within a share of the target. Messages with binding rules
 * come first and have a separate share. O(items).
 */
async function selectSpokenItems(draft: Draft, effects: Effects): Promise<Set<Item>> {
	const short = selectItems(draft, (item) => {
		const { row } = getUnit(draft, item);
		const isShort =
			hasKind(draft, item, rowKind.fromUser) && !row.injected && row.chars <= tuning.lengths.maxVerbatim;
		return isShort && !isProtected(draft, item);
	}).slice(-maxScannedUserMessages);
	const messages = await effects.read(short.map((item) => getOriginal(draft, item)));
	const bindingItems = short.filter((_, index) => {
		const message = messages[index];
		return message !== undefined && isStrictRule(getMessageText(message));
	});
	const keptItems = new Set<Item>();
	const keep = (items: readonly Item[], share: number): void => {
		let allowed = share * draft.target;
		for (const item of items.toReversed()) {
			allowed -= getTokens(draft, item);
			if (allowed < 0) break;
			keptItems.add(item);
		}
	};
	keep(bindingItems, tuning.shares.rules);
	keep(
		short.filter((item) => !keptItems.has(item)),
		tuning.shares.userWords,
	);
	return keptItems;
}
