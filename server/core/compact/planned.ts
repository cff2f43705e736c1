/** Turns a finished draft into patches over the rows and a list of what was removed. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { RemovedRows, Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import { type Draft, type Effects, hiding, notHidden, type Replacement, unitOf } from './draft.ts';
import { kind } from './rowColumns.ts';
import { workLimits } from './tuning.ts';

/** A patch that shows one message, or nothing, instead of the rows [from, to). */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	show?: Replacement;
	stage: StageName;
}

/** What each message lost: reported in order, and grouped as the journal stores it. */
export interface Removals {
	told: RemovedMessage[];
	rows: RemovedRows[];
}

/** Returns the patches of a draft, in order. */
export function patchesOf(draft: Draft): PlannedPatch[] {
	const { view, hidden, froms, kinds } = draft;
	const patches: PlannedPatch[] = [];
	const shownStandIns = new Set<StageName>();
	let open: PlannedPatch | undefined;
	let openedBy: number = notHidden;
	// Then one stage hid everything, and each hidden item is one row.
	const isPlain = draft.several.length === 0 && !(draft.standIns.summarize && draft.standIns.truncate);
	for (let item = 0; item < view.length; item++) {
		const by = hidden[item] ?? notHidden;
		if (by === notHidden) {
			open = undefined;
			const show = draft.shown.get(item);
			if (!show) continue;
			const { from, to } = unitOf(draft, item);
			patches.push({ from, to, show, stage: show.stage });
			continue;
		}
		const from = froms[item] ?? 0;
		if (isPlain) {
			const end = hidden.indexOf(notHidden, item);
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

/** The change that each stage reports for what it hides. */
const hiddenAs = {
	[hiding.summarize]: { stage: 'summarize', change: 'replaced' },
	[hiding.truncate]: { stage: 'truncate', change: 'hidden' },
} as const;

function changeOf({ stage, made }: Replacement): Change {
	return { stage, change: made === 'deduplicated' ? 'replaced' : 'shortened' };
}

function toldOf(row: Row, { stage, change }: Change, tokens: number): RemovedMessage {
	const { id: messageId, role, tool: toolName } = row;
	// Written out for speed: a compaction may report a hundred thousand messages.
	if (toolName === undefined) return { messageId, stage, change, tokens, role };
	return { messageId, stage, change, tokens, role, toolName };
}

/** A stage's change to a message. */
type Change = Pick<RemovedMessage, 'stage' | 'change'>;

/** A group of removed rows while it is filled. */
interface Filling extends RemovedRows {
	length: number;
}

/** Returns the group of a change, to which at most `most` rows will be added. */
function groupFor(groups: Filling[], { stage, change }: Change, most: number): Filling {
	const known = groups.find((one) => one.stage === stage && one.change === change);
	if (known) return known;
	// Allocated at full length, because growing would copy the array again and again.
	const group = { stage, change, seqs: new Array<Seq>(most), tokens: new Array<number>(most), length: 0 };
	groups.push(group);
	return group;
}

/** Returns what each message lost, in slices. */
export async function removalsOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Removals> {
	const { view, rows, froms, kinds, hidden, shown, before, now } = draft;
	const told = new Array<RemovedMessage>(draft.touched);
	const groups: Filling[] = [];
	let group: Filling | undefined;
	let length = 0;
	for (let item = 0; item < view.length; item++) {
		if (item % workLimits.unitsPerSlice === workLimits.unitsPerSlice - 1) await pause();
		const by = hidden[item] ?? notHidden;
		const stood = by === notHidden ? shown.get(item) : undefined;
		if (by === notHidden && !stood) continue;
		const change = stood ? changeOf(stood) : hiddenAs[by as keyof typeof hiddenAs];
		if (group?.stage !== change.stage || group.change !== change.change) {
			group = groupFor(groups, change, Math.max(0, draft.touched - length));
		}
		const own = (kinds[item] ?? 0) & (kind.inPlace | kind.made);
		const seq = froms[item] ?? 0;
		// An unchanged row is found without its unit, which saves a memory access.
		const row = (own === kind.inPlace && rows[seq]) || unitOf(draft, item).row;
		const tokens = Math.round((before[item] ?? 0) - (now[item] ?? 0));
		told[length++] = toldOf(row, change, tokens);
		group.seqs[group.length] = seq;
		group.tokens[group.length++] = tokens;
	}
	told.length = length;
	return {
		told,
		rows: groups.map(({ stage, change, seqs, tokens, length }) => {
			seqs.length = length;
			tokens.length = length;
			return { stage, change, seqs, tokens };
		}),
	};
}
