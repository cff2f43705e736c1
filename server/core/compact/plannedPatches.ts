/** Turns a finished draft into patches over the rows and a list of removed messages. */

import type { RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { RemovedRows, Seq } from '../history/record.ts';
import { type Draft, type Effects, getUnit, hiding, notHidden, type Replacement } from './draft.ts';
import { workLimits } from './tuning.ts';

/** A patch that shows one message, or nothing, instead of the rows [from, to). */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	replacement?: Replacement;
	stage: StageName;
}

/** The changes of messages, in order for the report, and grouped for the journal. */
export interface Removals {
	reported: RemovedMessage[];
	rows: RemovedRows[];
}

/** Returns the patches of a draft, in order: one for each shortened item and for each run of hidden items. */
export function createPatches({ view, hiddenBy, replacements, rangeReplacements }: Draft): PlannedPatch[] {
	const patches: PlannedPatch[] = [];
	const shown = new Set<StageName>();
	for (const [item, { from, to }] of view.entries()) {
		const by = hiddenBy[item] ?? notHidden;
		const last = patches.at(-1);
		if (by === notHidden) {
			const replacement = replacements.get(item);
			if (replacement) patches.push({ from, to, replacement, stage: replacement.stage });
		} else if (last && hiddenBy[item - 1] === by) last.to = Math.max(last.to, to);
		else {
			const stage = by === hiding.summarize ? 'summarize' : 'truncate';
			const replacement = shown.has(stage) ? undefined : rangeReplacements[stage];
			shown.add(stage);
			patches.push({ from, to, replacement, stage });
		}
	}
	return patches;
}

/** A stage's change to a message. */
type Change = Pick<RemovedMessage, 'stage' | 'change' | 'reason'>;

/** By value of `hiding`, the change that is reported for hidden messages. */
const changesOfHidden: Readonly<Record<number, Change>> = {
	[hiding.summarize]: { stage: 'summarize', change: 'replaced' },
	[hiding.truncate]: { stage: 'truncate', change: 'hidden' },
};

function describeChange({ stage, made, reason }: Replacement): Change {
	return { stage, change: made === 'deduplicated' ? 'replaced' : 'shortened', ...(reason && { reason }) };
}

/** Returns the group of a change. Creates the group if it does not exist. */
function findGroup(groups: RemovedRows[], change: Change): RemovedRows {
	const known = groups.find(
		(one) => one.stage === change.stage && one.change === change.change && one.reason === change.reason,
	);
	if (known) return known;
	const group = { ...change, seqs: [], tokens: [] };
	groups.push(group);
	return group;
}

/** Returns the removed tokens of each changed message. Runs in slices. */
export async function collectRemovals(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Removals> {
	const { view, hiddenBy, replacements, tokensBefore, tokensNow } = draft;
	const removals: Removals = { reported: [], rows: [] };
	let group: { of: Change; rows: RemovedRows } | undefined;
	for (let item = 0; item < view.length; item++) {
		if (item % workLimits.unitsPerSlice === 0) await pause();
		const by = hiddenBy[item] ?? notHidden;
		const replacement = by === notHidden ? replacements.get(item) : undefined;
		const change = replacement ? describeChange(replacement) : changesOfHidden[by];
		if (!change) continue;
		// Most changes are equal to the previous change.
		if (group?.of !== change) group = { of: change, rows: findGroup(removals.rows, change) };
		const { row, from } = getUnit(draft, item);
		const { stage, change: how, reason } = change;
		const tokens = Math.round((tokensBefore[item] ?? 0) - (tokensNow[item] ?? 0));
		const removed = { messageId: row.id, stage, change: how, tokens, role: row.role, toolName: row.tool };
		removals.reported.push(reason === undefined ? removed : { ...removed, reason });
		group.rows.seqs.push(from);
		group.rows.tokens.push(tokens);
	}
	return removals;
}
