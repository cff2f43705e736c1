/** What the stages did to a draft, as patches over the rows and as a list of what was removed. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import { type Draft, hiding, type Item, type Shown, seen, unitOf } from './draft.ts';

/** Instead of the rows [from, to): what is shown, or nothing. */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	show?: Shown;
	stage: StageName;
}

/** What messages lost, in order, and by the same places their visible rows. */
export interface Removals {
	told: RemovedMessage[];
	seqs: Seq[];
}

/** What is to be laid over the rows. */
export function patchesOf(draft: Draft): PlannedPatch[] {
	const patches: PlannedPatch[] = [];
	const shownStandIns = new Set<StageName>();
	let open: PlannedPatch | undefined;
	for (let item = 0; item < draft.view.length; item++) {
		const hidden = draft.hidden[item];
		if (hidden === seen) {
			open = undefined;
			const show = draft.shown.get(item);
			if (!show) continue;
			const { from, to } = unitOf(draft, item);
			patches.push({ from, to, show, stage: show.stage });
			continue;
		}
		const { from, to } = unitOf(draft, item);
		const stage = hidden === hiding.summarize ? 'summarize' : 'truncate';
		if (open?.stage === stage) {
			open.to = Math.max(open.to, to);
			continue;
		}
		const show = shownStandIns.has(stage) ? undefined : draft.standIns[stage];
		shownStandIns.add(stage);
		open = { from, to, show, stage };
		patches.push(open);
	}
	return patches;
}

function toldOf(
	row: Row,
	stage: StageName,
	change: RemovedMessage['change'],
	tokens: number,
): RemovedMessage {
	const { id: messageId, role, tool: toolName } = row;
	// Written out: of a hundred thousand messages most are told of.
	if (toolName === undefined) return { messageId, stage, change, tokens, role };
	return { messageId, stage, change, tokens, role, toolName };
}

function removalOf(draft: Draft, item: Item, row: Row): RemovedMessage | undefined {
	const tokens = Math.round((draft.before[item] ?? 0) - (draft.now[item] ?? 0));
	const hidden = draft.hidden[item];
	if (hidden === hiding.summarize) return toldOf(row, 'summarize', 'replaced', tokens);
	if (hidden === hiding.truncate) return toldOf(row, 'truncate', 'hidden', tokens);
	const shown = draft.shown.get(item);
	if (!shown) return undefined;
	return toldOf(row, shown.stage, shown.made === 'deduplicated' ? 'replaced' : 'shortened', tokens);
}

/** What each message lost. */
export function removalsOf(draft: Draft): Removals {
	const removals: Removals = { told: [], seqs: [] };
	for (let item = 0; item < draft.view.length; item++) {
		if (draft.hidden[item] === seen && !draft.shown.has(item)) continue;
		const { row } = unitOf(draft, item);
		const removal = removalOf(draft, item, row);
		if (!removal) continue;
		removals.told.push(removal);
		removals.seqs.push(row.seq);
	}
	return removals;
}
