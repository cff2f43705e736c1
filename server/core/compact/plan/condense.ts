/**
 * Stages "prune" and "summarize". Shrinks results to their best lines if that alone reaches the target; otherwise
 * replaces everything before the tail by one message. Then restores what still fits.
 */

import {
	continuesBatch,
	type Draft,
	hasKind,
	hideItem,
	hiding,
	type Item,
	isHidden,
	rowKind,
	selectItems,
	sumTokens,
	unhideItem,
} from '../draft.ts';
import {
	disabledReport,
	type PlanInput,
	reportNoSummary,
	reportReached,
	type Stage,
	type StageReport,
} from '../stage.ts';
import { tuning } from '../tuning.ts';
import { canCut, emergencyCut, isCuttable } from './emergency.ts';
import { estimatePruneSaving, selectPrunableResults, shrinkResults } from './shrink.ts';
import {
	computeMaxTailTokens,
	selectItemsOutside,
	selectSummarizable,
	summarizeRange,
} from './summaryRange.ts';

/** Maximum number of placeholders. Instead of more placeholders, the model gets a summary. */
const maxPlaceholders = 2000;

/** Share of the target that may remain unused. */
const minUnusedShare = 0.02;

/** Shrinks items until the history has at most `target` tokens. */
async function pruneItems(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: PlanInput,
): Promise<void> {
	if (items.length === 0) return;
	await input.prepareBestLines(input.view.filter(({ layer }) => layer === 0).map(({ row }) => row));
	await shrinkResults(draft, items, target, input);
}

/** Returns a report if pruning would neither reach the target nor save enough. */
function reportSmallSaving(
	draft: Draft,
	items: readonly Item[],
	{ policy }: PlanInput,
): StageReport | undefined {
	const saving = Math.floor(estimatePruneSaving(draft, items));
	if (draft.tokens - saving <= draft.target || saving >= policy.minimumSavings) return undefined;
	return { reason: `pruning would save ${saving} tokens, less than ${policy.minimumSavings}` };
}

/** Whether removing items completely would reach the target. A cheap test before an exact estimate. */
function canReachTarget(draft: Draft, items: readonly Item[]): boolean {
	return draft.tokens - Math.ceil(sumTokens(draft, items)) <= draft.target;
}

/** Prunes before the summary, but only if that makes the summary unnecessary. */
export const prune: Stage = {
	name: 'prune',
	applies: () => true,
	async run(draft, input) {
		const { policy } = input;
		if (!policy.stages.prune) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const items = selectPrunableResults(draft, policy, policy.protectTokens);
		if (items.length === 0) {
			const newestResults = `the newest ${policy.protectTokens} tokens of results`;
			return { reason: `every tool result is protected or among ${newestResults}` };
		}
		await input.effects.pause();
		const canReach =
			canReachTarget(draft, items) &&
			draft.tokens - Math.floor(estimatePruneSaving(draft, items)) <= draft.target;
		if (policy.stages.summarize && !canReach) {
			return { reason: 'pruning would not reach the target; summarizing the whole results instead' };
		}
		if (policy.stages.summarize && items.length > maxPlaceholders) {
			return { reason: `pruning would leave ${items.length} placeholders; summarizing instead` };
		}
		const report = reportSmallSaving(draft, items, input);
		if (report) return report;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};

/** If a tail would leave too few tokens for a summary, shortens the tail's results, then its largest messages. */
async function shortenTail(draft: Draft, summarized: readonly Item[], input: PlanInput): Promise<void> {
	const { policy, effects } = input;
	const tail = selectItemsOutside(draft, summarized);
	const excessTokens = sumTokens(draft, tail) - (draft.protectedTokens + computeMaxTailTokens(draft, policy));
	if (excessTokens <= 0) return;
	const inTail = new Set(tail);
	const items = selectPrunableResults(draft, policy, 0).filter((item) => inTail.has(item));
	const target = draft.tokens - excessTokens;
	await pruneItems(draft, items, target, input);
	const maxTokens = draft.protectedTokens + tuning.tail.maxShare * (draft.target - draft.protectedTokens);
	if (sumTokens(draft, tail) <= maxTokens || !canCut(policy)) return;
	const cuttable = tail.filter((item) => isCuttable(draft, item));
	await emergencyCut(draft, cuttable, target, effects);
}

export const summarize: Stage = {
	name: 'summarize',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.summarize) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const items = await selectSummarizable(draft, policy, effects, input.summarizedTo);
		if (items.length === 0)
			return reportNoSummary('MIN_MESSAGES_NOT_MET', 'no messages before the kept ones');
		await effects.pause();
		if (policy.stages.prune) await shortenTail(draft, items, input);
		await effects.pause();
		return summarizeRange(draft, items, input);
	},
};

/** If no summary was written, prunes the results that `prune` left unchanged for it. */
export const pruneFallback: Stage = {
	name: 'prune',
	applies: (draft, { policy }) =>
		policy.stages.prune &&
		policy.stages.summarize &&
		draft.rangeReplacements.summarize === undefined &&
		draft.tokens > draft.target,
	async run(draft, input) {
		const items = selectPrunableResults(draft, input.policy, input.policy.protectTokens);
		const report = reportSmallSaving(draft, items, input);
		if (report) return report;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};

/**
 * Restores shortened messages, newest first: whole, or as much of a result as fits. Then restores the newest messages
 * that a summary replaced. Never exceeds the target. Restores nothing that the caller selected for removal.
 */
export async function restoreUnused(draft: Draft, input: PlanInput): Promise<void> {
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
	const first = hiddenBy.indexOf(hiding.summarize);
	const end = hiddenBy.lastIndexOf(hiding.summarize) + 1;
	for (let to = end, from = end; from > first && !hasKind(draft, to, rowKind.fromUser); to = from) {
		if (target - draft.tokens < minUnusedShare * target) return;
		from = to - 1;
		// A tail must not begin with a result.
		while (from > first && (continuesBatch(draft, from) || hasKind(draft, from, rowKind.result))) from--;
		const group = selectItems(draft, (item) => item >= from && item < to);
		if (
			from <= first ||
			group.some((item) => !isHidden(draft, item) || hasKind(draft, item, rowKind.fromUser))
		)
			return;
		for (const item of group) unhideItem(draft, item);
		if (draft.tokens <= target) continue;
		const results = selectPrunableResults(draft, input.policy, 0).filter((item) => group.includes(item));
		if (input.policy.stages.prune) await pruneItems(draft, results, target, input);
		if (draft.tokens > target) for (const item of group) hideItem(draft, item, 'summarize');
		return;
	}
}
