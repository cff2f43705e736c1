/** What the stages did to a draft, as patches over the rows and as a list of what was removed. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import { type Draft, type Effects, hiding, type Item, type Shown, seen, unitOf } from './draft.ts';
import { kind } from './rowColumns.ts';
import { walk } from './tuning.ts';

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
	const { view, hidden, froms, kinds } = draft;
	const patches: PlannedPatch[] = [];
	const shownStandIns = new Set<StageName>();
	let open: PlannedPatch | undefined;
	let openedBy: number = seen;
	// All that is hidden was hidden by one stage then, and stands for itself.
	const isPlain = draft.several.length === 0 && !(draft.standIns.summarize && draft.standIns.truncate);
	for (let item = 0; item < view.length; item++) {
		const by = hidden[item] ?? seen;
		if (by === seen) {
			open = undefined;
			const show = draft.shown.get(item);
			if (!show) continue;
			const { from, to } = unitOf(draft, item);
			patches.push({ from, to, show, stage: show.stage });
			continue;
		}
		const from = froms[item] ?? 0;
		if (isPlain) {
			const end = hidden.indexOf(seen, item);
			item = (end < 0 ? view.length : end) - 1;
		}
		const to = (kinds[item] ?? 0) & kind.inPlace ? (froms[item] ?? 0) + 1 : unitOf(draft, item).to;
		if (open && openedBy === by) {
			open.to = Math.max(open.to, to);
			continue;
		}
		const stage = by === hiding.summarize ? 'summarize' : 'truncate';
		const show = shownStandIns.has(stage) ? undefined : draft.standIns[stage];
		shownStandIns.add(stage);
		open = { from, to, show, stage };
		openedBy = by;
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

/** What each message lost; in slices. */
export async function removalsOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Removals> {
	const { view, rows, froms, kinds, hidden, shown } = draft;
	// Of its length from the start: to grow to a hundred thousand copies it over and over.
	const told = new Array<RemovedMessage>(draft.touched);
	const seqs = new Array<Seq>(draft.touched);
	let length = 0;
	for (let item = 0; item < view.length; item++) {
		if (item % walk === walk - 1) await pause();
		if (hidden[item] === seen && !shown.has(item)) continue;
		const own = (kinds[item] ?? 0) & (kind.inPlace | kind.made);
		const seq = froms[item] ?? 0;
		// A row as it was appended is found without its unit, which would have to be looked up in memory too.
		const row = (own === kind.inPlace && rows[seq]) || unitOf(draft, item).row;
		const removal = removalOf(draft, item, row);
		if (!removal) continue;
		told[length] = removal;
		seqs[length++] = seq;
	}
	told.length = length;
	seqs.length = length;
	return { told, seqs };
}
