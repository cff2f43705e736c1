/** Plans a compaction: runs the stages in order until the history reaches its target. */

import type { StageOutcome } from '../../../protocol/compact.ts';
import { computeLanguageCostFactor } from '../../analysis/message/proseCost.ts';
import type { Row } from '../../history/row.ts';
import { getMessageText } from '../../history/text.ts';
import {
	createDraft,
	type Draft,
	type Effects,
	getOriginal,
	getTokens,
	hasKind,
	isProtected,
	itemKind,
	listNewestBatch,
	selectSmallUnread,
} from '../draft.ts';
import type { Policy } from '../policy.ts';
import type { PlanInput, Stage } from '../stage.ts';
import { tuning } from '../tuning.ts';
import { deduplicateStage } from './deduplicate.ts';
import { finishPlan, type Plan } from './finishPlan.ts';
import { pruneFallbackStage, pruneStage } from './prune.ts';
import { selectStages } from './selectedStages.ts';
import { summarizeStage } from './summarize.ts';
import { truncateByForceStage, truncateStage } from './truncate.ts';

/**
 * The stages in order. Superseded reads are removed first, because that loses nothing. Results are pruned next if that
 * alone reaches the target; otherwise they stay whole, and the summary is written from their full text.
 */
const allStages: readonly Stage[] = [
	deduplicateStage,
	pruneStage,
	summarizeStage,
	pruneFallbackStage,
	truncateStage,
	truncateByForceStage,
];

/** Plans a compaction without changing anything. Rejects only if an effect rejects. */
export async function plan(input: PlanInput): Promise<Plan> {
	const { target, policy, effects } = input;
	await effects.pause();
	const draft = await createDraft(input);
	const isCrowded = draft.protectedTokens > tuning.target.protectedShareLimit * target;
	const costFactor = isCrowded ? await computeViewCostFactor(draft, effects) : 1;
	draft.target = computeReachableTarget(draft, target, policy, costFactor);
	const outcomes = await runStages(selectStages(input) ?? allStages, draft, input);
	return finishPlan(draft, input, outcomes);
}

/** Runs the stages that apply, in order. Returns one outcome for each name, because stages may share a name. */
async function runStages(stages: readonly Stage[], draft: Draft, input: PlanInput): Promise<StageOutcome[]> {
	const outcomes: StageOutcome[] = [];
	for (const stage of stages) {
		await input.effects.pause();
		if (stage.applies(draft, input)) recordOutcome(outcomes, await runStage(stage, draft, input));
	}
	return outcomes;
}

async function runStage(stage: Stage, draft: Draft, input: PlanInput): Promise<StageOutcome> {
	const { tokens: before, changedItems } = draft;
	const { reason, filesDeduped, failure } = await stage.run(draft, input);
	return {
		stage: stage.name,
		ran: draft.tokens < before,
		reason,
		tokensBefore: Math.round(before),
		tokensAfter: Math.round(draft.tokens),
		messagesAffected: draft.changedItems - changedItems,
		filesDeduped,
		failure,
	};
}

/** Merges two runs of one stage. Takes reason and failure from the last run that changed something. */
function mergeOutcomes(first: StageOutcome, second: StageOutcome): StageOutcome {
	const latest = second.ran ? second : first;
	return {
		...latest,
		ran: first.ran || second.ran,
		tokensBefore: first.ran ? first.tokensBefore : latest.tokensBefore,
		tokensAfter: second.ran ? second.tokensAfter : latest.tokensAfter,
		messagesAffected: first.messagesAffected + second.messagesAffected,
	};
}

/** Adds an outcome, merged with an earlier outcome of the same stage. */
function recordOutcome(outcomes: StageOutcome[], outcome: StageOutcome): void {
	const before = outcomes.findIndex(({ stage }) => stage === outcome.stage);
	const [first] = before < 0 ? [] : outcomes.splice(before, 1);
	outcomes.push(first ? mergeOutcomes(first, outcome) : outcome);
}

/** Number of newest messages that determine the language of a history. */
const maxSampledMessages = 24;
/** Approximate tokens of the placeholder that replaces a cleared result. */
const placeholderTokens = 60;

/**
 * Returns the tokens of the newest message with its calls, up to `maxNewestTokens`, of its small results, and of
 * placeholders for the others. All these stay in every compaction, like protected messages. On the meter's scale.
 */
function sumNewestTokens(draft: Draft): number {
	const smallUnread = selectSmallUnread(draft);
	let smallTokens = 0;
	let otherTokens = 0;
	for (const item of listNewestBatch(draft)) {
		const tokens = isProtected(draft, item) ? 0 : getTokens(draft, item);
		if (smallUnread.has(item)) smallTokens += tokens;
		else otherTokens += hasKind(draft, item, itemKind.result) ? Math.min(placeholderTokens, tokens) : tokens;
	}
	return smallTokens + Math.min(otherTokens, tuning.target.maxNewestTokens);
}

/**
 * Returns the target, or a higher floor that does not depend on the target, in tokens on the meter's scale. The floor
 * leaves tokens for a short summary next to protected messages, which no stage shortens. If user messages may be cut
 * because the request would fail otherwise, the target applies.
 * @param costFactor tokens of prose in the history's language for each token of the same prose in English
 */
export function computeReachableTarget(draft: Draft, target: number, policy: Policy, costFactor = 1): number {
	if (policy.cutUserMessages !== 'never') return target;
	const { protectedTokens } = draft;
	const { minTokens, maxTokens, shareOfHistory, shareOfRest, ...limits } = tuning.rest;
	const rest = draft.tokens - protectedTokens;
	const partOfRest = shareOfRest * rest;
	const newestAndSummary = sumNewestTokens(draft) + Math.min(tuning.target.minSummaryTokens, partOfRest);
	const smallShare = Math.max(Math.min(costFactor * minTokens, partOfRest), shareOfHistory * draft.tokens);
	const share = Math.min(costFactor * maxTokens * Math.max(1, draft.meter.factor), smallShare);
	const nextToHuge = costFactor * limits.tokensNextToHuge + limits.shareOfHuge * protectedTokens;
	const nextToLarge = Math.min(limits.shareOfProtected * protectedTokens, nextToHuge, rest / 2);
	// Small protected messages leave enough tokens under every target, so limit the floor to their size.
	const floor = Math.max(newestAndSummary, Math.min(protectedTokens, share), nextToLarge);
	return Math.max(target, protectedTokens + Math.min(rest, floor));
}

/** Returns the language cost factor of the newest messages of the user and the agent. */
async function computeViewCostFactor(draft: Draft, { read, countText }: Effects): Promise<number> {
	const rows: Row[] = [];
	for (let item = draft.view.length - 1; item >= 0 && rows.length < maxSampledMessages; item--) {
		if (hasKind(draft, item, itemKind.result | itemKind.fromDaemon) || !hasKind(draft, item, itemKind.oneRow))
			continue;
		const row = getOriginal(draft, item);
		if (!row.injected && row.role !== 'system') rows.unshift(row);
	}
	const messages = await read(rows);
	return computeLanguageCostFactor(
		messages.map((message) => ({ text: getMessageText(message), callCount: message.toolCalls?.length ?? 0 })),
		countText,
	);
}
