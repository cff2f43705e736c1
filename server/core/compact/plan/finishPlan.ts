/** Turns the draft of a compaction into its plan: patches over the rows, a list of removed messages, and warnings. */

import type { StageOutcome } from '../../../protocol/compact.ts';
import type { RemovedMessage, StageName } from '../../../protocol/compaction.ts';
import type { RemovedRows, Seq } from '../../history/record.ts';
import {
	continuesBatch,
	type Draft,
	type Effects,
	getUnit,
	hasKind,
	hideItem,
	hidingStages,
	type Item,
	isHidden,
	itemKind,
	notHidden,
	type Replacement,
	readOriginals,
	unhideItem,
} from '../draft.ts';
import { shortenContent } from '../placeholders.ts';
import type { PlanInput } from '../stage.ts';
import { workLimits } from '../tuning.ts';
import { pruneItems, selectPrunableResults, shrinkResults } from './prune.ts';

/** Maximum number of tool names in a warning. */
const maxNamedTools = 5;

/** A patch that shows one message, or nothing, instead of the rows [from, to). */
export interface PlannedPatch {
	from: Seq;
	to: Seq;
	replacement?: Replacement;
	stage: StageName;
}

/** The messages that a compaction changes. */
export interface Removals {
	/** The changed messages in the order of the history, for the report. */
	messages: RemovedMessage[];
	/** The rows of the changed messages, grouped by equal change, for the journal. */
	rows: RemovedRows[];
}

export interface Plan {
	patches: PlannedPatch[];
	removed: Removals;
	stages: StageOutcome[];
	/** Tokens above the target that no stage could remove. */
	shortfall: number;
	/** Sentences that the user should see. */
	warnings: string[];
}

/** Returns the plan of a draft on which the stages ran, after restoring what fits. Rejects only if an effect rejects. */
export async function finishPlan(draft: Draft, input: PlanInput, stages: StageOutcome[]): Promise<Plan> {
	const { target, effects, clearings } = input;
	await restoreUnused(draft, input);
	await loadPlaceholderOriginals(draft, effects);
	await effects.pause();
	const patches = createPatches(draft);
	await effects.pause();
	const removed = await collectRemovals(draft, effects);
	await effects.pause();
	return {
		patches,
		removed,
		stages,
		shortfall: Math.max(0, Math.ceil(draft.tokens - target)),
		warnings: [
			...createProtectionWarnings(draft),
			...createSummaryWarnings(draft),
			...(clearings?.warnings ?? []),
		],
	};
}

/** Loads the originals of the placeholders that are still visible after all stages. */
async function loadPlaceholderOriginals(draft: Draft, effects: Effects): Promise<void> {
	const items = [...draft.replacements].flatMap(([item, { isPlaceholder }]) =>
		isPlaceholder && !isHidden(draft, item) ? [item] : [],
	);
	for await (const [item, original] of readOriginals(draft, items, effects)) {
		const replacement = draft.replacements.get(item);
		if (!replacement) continue;
		const message = shortenContent(original, replacement.message.content);
		draft.replacements.set(item, { ...replacement, message });
	}
}

/** Returns the patches of a draft, in order: one for each shortened item and for each run of hidden items. */
export function createPatches(draft: Draft): PlannedPatch[] {
	const { view, firstSeqs, hiddenBy, replacements, rangeReplacements } = draft;
	const patches: PlannedPatch[] = [];
	const shownStages = new Set<StageName>();
	for (let item = 0; item < view.length; item++) {
		const by = hiddenBy[item] ?? notHidden;
		const from = firstSeqs[item] ?? 0;
		const to = hasKind(draft, item, itemKind.oneRow) ? from + 1 : getUnit(draft, item).to;
		const last = patches.at(-1);
		if (by === notHidden) {
			const replacement = replacements.get(item);
			if (replacement) patches.push({ from, to, replacement, stage: replacement.stage });
		} else if (last && hiddenBy[item - 1] === by) last.to = Math.max(last.to, to);
		else {
			const stage = by === hidingStages.summarize ? 'summarize' : 'truncate';
			const replacement = shownStages.has(stage) ? undefined : rangeReplacements[stage];
			shownStages.add(stage);
			patches.push({ from, to, replacement, stage });
		}
	}
	return patches;
}

/** A stage's change to a message. */
type Change = Pick<RemovedMessage, 'stage' | 'change' | 'reason'>;

/** The change that is reported for a hidden message, by value of `hidingStages`. */
const changesByHiding: Readonly<Record<number, Change>> = {
	[hidingStages.summarize]: { stage: 'summarize', change: 'replaced' },
	[hidingStages.truncate]: { stage: 'truncate', change: 'hidden' },
};

function describeChange({ stage, made, reason }: Replacement): Change {
	return { stage, change: made === 'deduplicated' ? 'replaced' : 'shortened', ...(reason && { reason }) };
}

/** Returns the group of a change. Creates the group if it does not exist. */
function findGroup(groups: RemovedRows[], change: Change): RemovedRows {
	const knownGroup = groups.find(
		(one) => one.stage === change.stage && one.change === change.change && one.reason === change.reason,
	);
	if (knownGroup) return knownGroup;
	const group = { ...change, seqs: [], tokens: [] };
	groups.push(group);
	return group;
}

/** Returns the removed tokens of each changed message. Runs in slices. */
export async function collectRemovals(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Removals> {
	const { view, hiddenBy, replacements, tokensBefore, tokensNow } = draft;
	const removals: Removals = { messages: [], rows: [] };
	let group: { of: Change; rows: RemovedRows } | undefined;
	for (let item = 0; item < view.length; item++) {
		if (item % workLimits.unitsPerSlice === 0) await pause();
		const by = hiddenBy[item] ?? notHidden;
		const replacement = by === notHidden ? replacements.get(item) : undefined;
		const change = replacement ? describeChange(replacement) : changesByHiding[by];
		if (!change) continue;
		// Most changes are equal to the previous change.
		if (group?.of !== change) group = { of: change, rows: findGroup(removals.rows, change) };
		const { row, from } = getUnit(draft, item);
		const { stage, change: how, reason } = change;
		const tokens = Math.round((tokensBefore[item] ?? 0) - (tokensNow[item] ?? 0));
		const message = { messageId: row.id, stage, change: how, tokens, role: row.role, toolName: row.tool };
		removals.messages.push(reason === undefined ? message : { ...message, reason });
		group.rows.seqs.push(from);
		group.rows.tokens.push(tokens);
	}
	return removals;
}

/** Returns warnings for protected results that were removed anyway. */
function createProtectionWarnings(draft: Draft): string[] {
	const isRemoved = (item: Item): boolean =>
		draft.hiddenBy[item] === hidingStages.truncate || draft.replacements.get(item)?.stage === 'truncate';
	const removedResults = draft.truncateOnlyItems.filter(
		(item) => hasKind(draft, item, itemKind.result) && isRemoved(item),
	);
	if (removedResults.length === 0) return [];
	const tools = [...new Set(removedResults.map((item) => getUnit(draft, item).row.tool ?? ''))]
		.slice(0, maxNamedTools)
		.join(', ');
	const results = removedResults.length === 1 ? '1 result' : `${removedResults.length} results`;
	return [`${results} of protected tools (${tools}) had to be truncated or removed: nothing else was left`];
}

/** Returns a warning if an earlier summary was removed. */
function createSummaryWarnings({ multiRowItems, hiddenBy, view }: Draft): string[] {
	const isRemoved = multiRowItems.some(
		(item) => hiddenBy[item] === hidingStages.truncate && view[item]?.row.made === 'summary',
	);
	return isRemoved ? ['an earlier summary had to be removed: nothing else was left'] : [];
}

/** Share of the target that may remain unused. */
const minUnusedShare = 0.02;

/**
 * Restores shortened messages, newest first: whole, or as much of a result as fits. Then restores the newest messages
 * that a summary replaced. Never exceeds the target. Restores nothing that the caller selected for removal.
 */
async function restoreUnused(draft: Draft, input: PlanInput): Promise<void> {
	if (input.clearings || input.policy.contentToDrop.length > 0) return;
	const items = [...draft.replacements.keys()].filter((item) => !isHidden(draft, item)).sort((a, b) => b - a);
	for (const item of items) {
		if (draft.target - draft.tokens < minUnusedShare * draft.target) return;
		const replacement = draft.replacements.get(item);
		if (replacement && replacement.stage !== 'deduplicate') await restoreItem(draft, item, input);
	}
	if (draft.isTailExtensible) await growTail(draft, input);
}

async function restoreItem(draft: Draft, item: Item, input: PlanInput): Promise<void> {
	const { replacements, tokensNow, tokensBefore, target } = draft;
	const [short, tokens] = [replacements.get(item), tokensNow[item] ?? 0];
	const show = (size: number): void => {
		draft.tokens += size - (tokensNow[item] ?? 0);
		tokensNow[item] = size;
	};
	show(tokensBefore[item] ?? 0);
	replacements.delete(item);
	draft.changedItems--;
	if (draft.tokens <= target) return;
	if (short?.stage === 'prune') await shrinkResults(draft, [item], target, input);
	if (draft.tokens <= target || !short) return;
	if (!replacements.has(item)) draft.changedItems++;
	replacements.set(item, short);
	show(tokens);
}

/**
 * Restores the newest groups that a summary replaced, while they fit and belong to the turn where the tail begins.
 * Results of the last group may be shortened.
 */
async function growTail(draft: Draft, input: PlanInput): Promise<void> {
	const { hiddenBy, target } = draft;
	const first = hiddenBy.indexOf(hidingStages.summarize);
	const end = hiddenBy.lastIndexOf(hidingStages.summarize) + 1;
	for (let to = end, from = end; from > first && !hasKind(draft, to, itemKind.fromUser); to = from) {
		if (target - draft.tokens < minUnusedShare * target) return;
		from = to - 1;
		// A tail must not begin with a result.
		while (from > first && (continuesBatch(draft, from) || hasKind(draft, from, itemKind.result))) from--;
		const group = Array.from({ length: to - from }, (_, index) => from + index);
		if (
			from <= first ||
			group.some((item) => !isHidden(draft, item) || hasKind(draft, item, itemKind.fromUser))
		)
			return;
		for (const item of group) unhideItem(draft, item);
		if (draft.tokens <= target) continue;
		const results = selectPrunableResults(draft, input.policy, 0, from).filter((item) => item < to);
		if (input.policy.stages.prune) await pruneItems(draft, results, target, input);
		if (draft.tokens > target) for (const item of group) hideItem(draft, item, 'summarize');
		return;
	}
}
