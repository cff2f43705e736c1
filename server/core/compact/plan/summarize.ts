/** Stage "summarize": replaces everything older than the tail with one message if pruning is not enough. */

import { type Draft, sumTokens } from '../draft.ts';
import { disabledReport, type PlanInput, reportNoSummary, reportReached, type Stage } from '../stage.ts';
import { tuning } from '../tuning.ts';
import { emergencyCut, isCuttable, mayCut } from './emergency.ts';
import { pruneItems } from './prune.ts';
import { prunableResults } from './shrink.ts';
import { type ItemRange, itemsOutside, maxTailTokens, summarizable, summarizeRange } from './summaryRange.ts';

/** Shortens the results of a tail that would leave no room for a summary, then its largest messages. */
async function shortenTail(draft: Draft, range: ItemRange, input: PlanInput): Promise<void> {
	const { policy, effects } = input;
	const tail = itemsOutside(draft, range);
	const tokensOfTail = (): number => sumTokens(draft, tail);
	const allowed = draft.protectedTokens + maxTailTokens(draft, policy);
	const over = tokensOfTail() - allowed;
	if (over <= 0) return;
	const inTail = new Set(tail);
	const items = prunableResults(draft, policy, 0).filter((item) => inTail.has(item));
	const target = draft.tokens - over;
	await pruneItems(draft, items, target, input);
	const isTight =
		tokensOfTail() > draft.protectedTokens + tuning.tail.maxShare * (draft.target - draft.protectedTokens);
	if (isTight && mayCut(policy)) {
		await emergencyCut(
			draft,
			tail.filter((item) => isCuttable(draft, item)),
			target,
			effects,
		);
	}
}

export const summarize: Stage = {
	name: 'summarize',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.summarize) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const range = await summarizable(draft, policy, effects, input.summarizedTo);
		if (range.length === 0)
			return reportNoSummary('MIN_MESSAGES_NOT_MET', 'no messages before the kept ones');
		await effects.pause();
		if (policy.stages.prune) await shortenTail(draft, range, input);
		await effects.pause();
		return summarizeRange(draft, range, input);
	},
};
