/** Stage "summarize": replaces everything before the tail by one message if pruning is not enough. */

import { type Draft, type Item, sumTokens } from '../draft.ts';
import { disabledReport, type PlanInput, reportNoSummary, reportReached, type Stage } from '../stage.ts';
import { tuning } from '../tuning.ts';
import { canCut, emergencyCut, isCuttable } from './emergency.ts';
import { pruneItems } from './prune.ts';
import { selectPrunableResults } from './shrink.ts';
import {
	computeMaxTailTokens,
	selectItemsOutside,
	selectSummarizable,
	summarizeRange,
} from './summaryRange.ts';

/** If a tail would leave too few tokens for a summary, shortens the tail's results, then its largest messages. */
async function shortenTail(draft: Draft, summarized: readonly Item[], input: PlanInput): Promise<void> {
	const { policy, effects } = input;
	const tail = selectItemsOutside(draft, summarized);
	const over = sumTokens(draft, tail) - (draft.protectedTokens + computeMaxTailTokens(draft, policy));
	if (over <= 0) return;
	const inTail = new Set(tail);
	const items = selectPrunableResults(draft, policy, 0).filter((item) => inTail.has(item));
	const target = draft.tokens - over;
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
