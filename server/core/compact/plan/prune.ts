/** Stage "prune": results shrink to their best lines where that alone reaches the target. */

import { type Draft, type Item, sumTokens } from '../draft.ts';
import { disabled, type PlanInput, reached, type Stage, type StageReport } from '../stage.ts';
import { prunable, pruneSaving, shrinkResults } from './shrink.ts';

/** A history with more placeholders of results tells a model less than a summary. */
const maxPlaceholders = 2000;

/** Shrinks items until the history has so many tokens. */
export async function pruneItems(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: PlanInput,
): Promise<void> {
	if (items.length === 0) return;
	await input.weigh();
	await shrinkResults(draft, items, target, input);
}

/** Why items are left alone that would save too little, where that does not reach the target either. */
function tooLittle(draft: Draft, items: readonly Item[], { policy }: PlanInput): StageReport | undefined {
	const saving = Math.floor(pruneSaving(draft, items));
	if (draft.tokens - saving <= draft.target || saving >= policy.minimumSavings) return undefined;
	return { reason: `it would save ${saving} tokens, less than ${policy.minimumSavings}` };
}

/** Whether items could save enough if nothing were left of them; what they leave is not looked up. */
function mayReach(draft: Draft, items: readonly Item[]): boolean {
	return draft.tokens - Math.ceil(sumTokens(draft, items)) <= draft.target;
}

/** Before a summary: only where nothing else is needed then. */
export const prune: Stage = {
	name: 'prune',
	applies: () => true,
	async run(draft, input) {
		const { policy } = input;
		if (!policy.stages.prune) return disabled;
		if (draft.tokens <= draft.target) return reached(draft, input);
		const items = prunable(draft, policy, policy.protectTokens);
		if (items.length === 0) return { reason: 'no tool result may be pruned' };
		await input.effects.pause();
		const reaches =
			mayReach(draft, items) && draft.tokens - Math.floor(pruneSaving(draft, items)) <= draft.target;
		if (policy.stages.summarize && !reaches) {
			return { reason: 'it would not reach the target; a summary is made from the whole results' };
		}
		if (policy.stages.summarize && items.length > maxPlaceholders) {
			return { reason: `${items.length} notes would be left; a summary says more in less room` };
		}
		const unworthy = tooLittle(draft, items, input);
		if (unworthy) return unworthy;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};

/** Prunes after all what was left whole for a summary that was not made. */
export const pruneAfterAll: Stage = {
	name: 'prune',
	applies: (draft, { policy }) =>
		policy.stages.prune &&
		policy.stages.summarize &&
		draft.standIns.summarize === undefined &&
		draft.tokens > draft.target,
	async run(draft, input) {
		const items = prunable(draft, input.policy, input.policy.protectTokens);
		const unworthy = tooLittle(draft, items, input);
		if (unworthy) return unworthy;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};
