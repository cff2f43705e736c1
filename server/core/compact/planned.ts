/** What the stages did to a draft, as patches over the rows and as a list of what was removed. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import type { Draft, Item, Shown } from './draft.ts';

/** Instead of the rows [from, to): what is shown, or nothing. */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	show?: Shown;
	stage: StageName;
}

export interface Removal {
	/** The visible row that lost something. */
	row: Row;
	stage: StageName;
	change: RemovedMessage['change'];
	/** Tokens saved on it. */
	tokens: number;
}

/** What is to be laid over the rows. */
export function patchesOf(draft: Draft): PlannedPatch[] {
	const patches: PlannedPatch[] = [];
	const shownStandIns = new Set<StageName>();
	let open: PlannedPatch | undefined;
	for (const item of draft.items) {
		const { from, to } = item.unit;
		if (item.hidden) {
			if (open?.stage === item.hidden) {
				open.to = Math.max(open.to, to);
				continue;
			}
			const show = shownStandIns.has(item.hidden) ? undefined : draft.standIns[item.hidden];
			shownStandIns.add(item.hidden);
			open = { from, to, show, stage: item.hidden };
			patches.push(open);
			continue;
		}
		open = undefined;
		if (item.shown) patches.push({ from, to, show: item.shown, stage: item.shown.stage });
	}
	return patches;
}

function removalOf(item: Item): Removal | undefined {
	const { row } = item.unit;
	const tokens = Math.round(item.before - item.tokens);
	if (item.hidden === 'summarize') return { row, stage: 'summarize', change: 'replaced', tokens };
	if (item.hidden) return { row, stage: 'truncate', change: 'hidden', tokens };
	if (!item.shown) return undefined;
	const change = item.shown.made === 'deduplicated' ? 'replaced' : 'shortened';
	return { row, stage: item.shown.stage, change, tokens };
}

/** What each message lost. */
export function removalsOf(draft: Draft): Removal[] {
	const removals: Removal[] = [];
	for (const item of draft.items) {
		const removal = removalOf(item);
		if (removal) removals.push(removal);
	}
	return removals;
}
