/** Stage "prune": shrinks results to their best lines if that alone reaches the target. */

import { type Draft, type Item, sumTokens } from '../draft.ts';
import { disabledReport, type PlanInput, reportReached, type Stage, type StageReport } from '../stage.ts';
import { estimatePruneSaving, selectPrunableResults, shrinkResults } from './shrink.ts';

/** Maximum number of placeholders. Instead of more placeholders, the model gets a summary. */
const maxPlaceholders = 2000;

/** Shrinks items until the history has at most `target` tokens. */
export async function pruneItems(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: PlanInput,
): Promise<void> {
	if (items.length === 0) return;
	await input.prepareBestLines();
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
			const newest = `the newest ${policy.protectTokens} tokens of results`;
			return { reason: `every tool result is protected or among ${newest}` };
		}
		await input.effects.pause();
		const reaches =
			canReachTarget(draft, items) &&
			draft.tokens - Math.floor(estimatePruneSaving(draft, items)) <= draft.target;
		if (policy.stages.summarize && !reaches) {
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

/** Prunes results that stayed whole for a summary, if the summary failed. */
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
