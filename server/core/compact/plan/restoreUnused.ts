/** Spends unused tokens below the target: first on shortened results, then on a longer tail. */

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
	unhideItem,
} from '../draft.ts';
import type { PlanInput } from '../stage.ts';
import { pruneItems } from './prune.ts';
import { selectPrunableResults, shrinkResults } from './shrink.ts';

/** Share of the target that may remain unused. */
const minUnusedShare = 0.02;

/**
 * Restores shortened messages, newest first: whole, or as much of a result as fits. Then restores the newest messages
 * that a summary replaced. Never exceeds the target.
 */
export async function restoreUnused(draft: Draft, input: PlanInput): Promise<void> {
	const items = [...draft.replacements.keys()].filter((item) => !isHidden(draft, item)).sort((a, b) => b - a);
	for (const item of items) {
		if (draft.target - draft.tokens < minUnusedShare * draft.target) return;
		const shown = draft.replacements.get(item);
		if (shown && shown.stage !== 'deduplicate') await restoreItem(draft, item, input);
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
