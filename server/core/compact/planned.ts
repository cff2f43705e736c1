/** Turns a finished draft into patches over the rows and a list of what was removed. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { RemovedRows, Seq } from '../history/record.ts';
import type { Row } from '../history/row.ts';
import { withoutUndefined } from '../shape.ts';
import { type Draft, type Effects, hiding, notHidden, type Replacement, unitOf } from './draft.ts';
import { rowKind } from './rowColumns.ts';
import { workLimits } from './tuning.ts';

/** A patch that shows one message, or nothing, instead of the rows [from, to). */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	replacement?: Replacement;
	stage: StageName;
}

/** What each message lost: reported in order, and grouped as the journal stores it. */
export interface Removals {
	reported: RemovedMessage[];
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
	const isPlain =
		draft.multiRowItems.length === 0 &&
		!(draft.rangeReplacements.summarize && draft.rangeReplacements.truncate);
	for (let item = 0; item < view.length; item++) {
		const by = hidden[item] ?? notHidden;
		if (by === notHidden) {
			open = undefined;
			const show = draft.replacements.get(item);
			if (!show) continue;
			const { from, to } = unitOf(draft, item);
			patches.push({ from, to, replacement: show, stage: show.stage });
			continue;
		}
		const from = froms[item] ?? 0;
		if (isPlain) {
			const end = hidden.indexOf(notHidden, item);
			item = (end < 0 ? view.length : end) - 1;
		}
		const to = (kinds[item] ?? 0) & rowKind.inPlace ? (froms[item] ?? 0) + 1 : unitOf(draft, item).to;
		if (open && openedBy === by) {
			open.to = Math.max(open.to, to);
			continue;
		}
		const stage = by === hiding.summarize ? 'summarize' : 'truncate';
		const show = shownStandIns.has(stage) ? undefined : draft.rangeReplacements[stage];
		shownStandIns.add(stage);
		open = { from, to, replacement: show, stage };
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

function changeOf({ stage, made, reason }: Replacement): Change {
	const change = made === 'deduplicated' ? 'replaced' : 'shortened';
	return reason === undefined ? { stage, change } : { stage, change, reason };
}

function reportRemoval(row: Row, { stage, change, reason }: Change, tokens: number): RemovedMessage {
	const { id: messageId, role, tool: toolName } = row;
	if (reason !== undefined)
		return withoutUndefined({ messageId, stage, change, tokens, role, toolName, reason });
	// Written out for speed: a compaction may report a hundred thousand messages.
	if (toolName === undefined) return { messageId, stage, change, tokens, role };
	return { messageId, stage, change, tokens, role, toolName };
}

/** A stage's change to a message. */
type Change = Pick<RemovedMessage, 'stage' | 'change' | 'reason'>;

function isSameChange(one: Change, other: Change): boolean {
	return one.stage === other.stage && one.change === other.change && one.reason === other.reason;
}

/** A group of removed rows while it is filled. */
interface GrowingGroup extends RemovedRows {
	length: number;
}

/** Returns the group of a change, to which at most `most` rows will be added. */
function findOrAddGroup(groups: GrowingGroup[], change: Change, most: number): GrowingGroup {
	const known = groups.find((one) => isSameChange(one, change));
	if (known) return known;
	// Allocated at full length, because growing would copy the array again and again.
	const group = { ...change, seqs: new Array<Seq>(most), tokens: new Array<number>(most), length: 0 };
	groups.push(group);
	return group;
}

/** Returns what was removed from each message, in slices. */
export async function removalsOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Removals> {
	const { view, rows, froms, kinds, hidden, replacements, tokensBefore, tokensNow } = draft;
	const reported = new Array<RemovedMessage>(draft.changedItems);
	const groups: GrowingGroup[] = [];
	let group: GrowingGroup | undefined;
	let length = 0;
	for (let item = 0; item < view.length; item++) {
		if (item % workLimits.unitsPerSlice === workLimits.unitsPerSlice - 1) await pause();
		const by = hidden[item] ?? notHidden;
		const replacement = by === notHidden ? replacements.get(item) : undefined;
		if (by === notHidden && !replacement) continue;
		const change = replacement ? changeOf(replacement) : hiddenAs[by as keyof typeof hiddenAs];
		if (!group || !isSameChange(group, change)) {
			group = findOrAddGroup(groups, change, Math.max(0, draft.changedItems - length));
		}
		const own = (kinds[item] ?? 0) & (rowKind.inPlace | rowKind.made);
		const seq = froms[item] ?? 0;
		// An unchanged row is found without its unit, which saves a memory access.
		const row = (own === rowKind.inPlace && rows[seq]) || unitOf(draft, item).row;
		const tokens = Math.round((tokensBefore[item] ?? 0) - (tokensNow[item] ?? 0));
		reported[length++] = reportRemoval(row, change, tokens);
		group.seqs[group.length] = seq;
		group.tokens[group.length++] = tokens;
	}
	reported.length = length;
	return {
		reported,
		rows: groups.map(({ length, ...group }) => {
			group.seqs.length = length;
			group.tokens.length = length;
			return group;
		}),
	};
}
