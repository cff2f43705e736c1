/** Stage "prune": results shrink to their best lines where that alone reaches the target. */

import type { Draft, Item } from '../draft.ts';
import { disabled, type PlanInput, reached, type Stage } from '../stage.ts';
import { mostNotes } from '../tuning.ts';
import { prunable, pruneSaving, shrinkResults } from './shrink.ts';

/** Shrinks items until the history has so many tokens. */
export async function pruneItems(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: PlanInput,
): Promise<void> {
	if (items.length === 0) return;
	await input.weigh();
	await shrinkResults(draft, items, target, input.effects, input.bestLines);
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
		const saving = Math.floor(pruneSaving(draft, items));
		const reaches = draft.tokens - saving <= draft.target;
		if (policy.stages.summarize && !reaches) {
			return { reason: 'it would not reach the target; a summary is made from the whole results' };
		}
		if (policy.stages.summarize && items.length > mostNotes) {
			return { reason: `${items.length} notes would be left; a summary says more in less room` };
		}
		if (!reaches && saving < policy.minimumSavings) {
			return { reason: `it would save ${saving} tokens, less than ${policy.minimumSavings}` };
		}
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
		await pruneItems(draft, prunable(draft, input.policy, input.policy.protectTokens), draft.target, input);
		return {};
	},
};
