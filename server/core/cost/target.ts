/** Computes when a compaction is due, and how many tokens it leaves if the caller names no target. */

import type { Settings } from '../../protocol/settings.ts';
import type { Breakdown } from '../../protocol/stats.ts';
import { type Budget, scaleToWindow } from '../models/budget.ts';
import {
	type CostBasis,
	findBalancedTarget,
	findCheapestTrigger,
	findLargestTarget,
	findSmallestTrigger,
} from './compactionCost.ts';
import { expectedRequests, type PolicyFigures, type TriggerReason } from './policy.ts';

/**
 * Numbers that determine the trigger and the default target of compactions. They come from prices and from the behaviour
 * of agents and providers. `npm run eval` does not test them, because it names targets. Shares are of the available
 * tokens.
 */
export const targetPolicy = {
	/** Target as a share of the history's budget, if neither a setting nor the cost decides. */
	defaultTargetShare: 0.6,
	/** Tokens of the history after a model's compaction: its summary, and files that the agent attaches again. */
	modelRemainingTokens: 6000,
	/** Tokens of a summary that a model writes. */
	modelSummaryTokens: 3000,
	/**
	 * Target of `cheap`, and of compactions after the cache expired, as a multiple of the size after a model's compaction.
	 * In recorded sessions, `cheap` cost 0.83 times as much as the agents' own compactions with 4, and at most 0.8 times
	 * with 3.
	 */
	cheapTargetFactor: 3,
	/** Minimum immediate saving of a compaction after the cache expired, in tokens at the input price. */
	minColdSavingTokens: { full: 40_000, balanced: 40_000, cheap: 10_000 },
	/** The smallest target by cost: twice the size after a model's summary, and a margin. */
	minTargetTokens: 13_500,
	/** A compaction that would not pay back waits until this share of the available tokens is used. */
	maxTriggerShare: 0.95,
	/** Default growth of a request, until the session shows its own: a call and its result. Tokens. */
	requestGrowthTokens: 1500,
	/** A target above this share of the trigger would reach the trigger again at once. */
	nearTriggerShare: 0.9,
	/** A target that is too near the trigger is lowered to this share of the trigger. */
	belowTriggerShare: 0.75,
};

/** Returns the tokens that the history may use: `available` minus the other parts of the breakdown, at least 0. */
export function computeHistoryBudget(breakdown: Breakdown, available: number): number {
	const others =
		breakdown.systemPrompt +
		breakdown.currentPrompt +
		breakdown.toolDefinitions +
		breakdown.fileAttachments +
		breakdown.other;
	return Math.max(0, available - others);
}

/** Facts about a session that determine the trigger and the target of its compactions. */
export interface TargetBasis {
	breakdown: Breakdown;
	budget: Budget;
	settings: Settings;
	/** Average growth of the prompt per request, in tokens; undefined if unknown. */
	growthTokens?: number;
	prices?: CostBasis['prices'];
	/** US dollars for a million input tokens; absent if the price is unknown. */
	usdPerMillion?: number;
	/** Tokens of the history after the agent's own compaction, for sessions synced by an agent's plugin. */
	agentRemainingTokens?: number;
}

/** The inputs of a decision that change with each request. */
type RequestConditions = Pick<PolicyFigures, 'isCold' | 'hasOpenCalls' | 'spentTokens' | 'owedTokens'>;

/** Whether the user set a threshold, profile or target, which replaces the policy. */
export function isPolicyReplaced({ compaction, tokenThreshold }: Settings): boolean {
	const { profile, threshold, targetRatio } = compaction;
	return profile !== null || threshold !== null || targetRatio !== null || tokenThreshold > 0;
}

/** Returns the growth and prices of a session's requests, and the tokens of a request besides its history. */
function describeCycle(
	{ breakdown, growthTokens = targetPolicy.requestGrowthTokens, prices }: TargetBasis,
	tokens: number,
): Omit<CostBasis, 'prices'> & Pick<TargetBasis, 'prices'> {
	return { growthTokens, prefixTokens: tokens - computeHistoryBudget(breakdown, tokens), prices };
}

/**
 * Returns the target tokens of the history if the caller names no target. `compaction.policy` decides first; then the cost,
 * if the provider caches prompts and `compaction.targetRatio` is not set; otherwise the target is a share of the history's
 * budget. The target keeps the reserve floor free and stays well below the trigger, so that the session does not reach
 * the trigger again at once.
 */
export function computeDefaultTarget(basis: TargetBasis): number {
	const { breakdown, budget, settings } = basis;
	const maxTokens = computeHistoryBudget(breakdown, budget.available);
	const floor = scaleToWindow(settings.compaction.reserveTokensFloor, budget.contextWindow);
	const target =
		computeTargetByPreference(basis) ?? computeTargetByCost(basis) ?? computeTargetByShare(basis, maxTokens);
	return Math.max(0, Math.floor(Math.min(target, maxTokens - floor)));
}

/** Returns a share of the history's budget, lowered if a synced session would otherwise compact again too soon. */
function computeTargetByShare(basis: TargetBasis, maxTokens: number): number {
	const { budget, settings, growthTokens, agentRemainingTokens } = basis;
	const { targetRatio } = settings.compaction;
	const target = maxTokens * (targetRatio ?? targetPolicy.defaultTargetShare);
	if (targetRatio !== null || growthTokens === undefined || agentRemainingTokens === undefined) return target;
	const trigger = computeTriggerTokens(budget, settings);
	const leftTokens = scaleToWindow(agentRemainingTokens, budget.contextWindow);
	return Math.min(target, Math.max(leftTokens, findLargestTarget(trigger, describeCycle(basis, trigger))));
}

/**
 * Returns the target of the policy `cheap`, in tokens of the history: a multiple of a model's summary, but at least the
 * size after the agent's own compaction.
 */
export function computeCheapTarget({ budget, agentRemainingTokens = 0 }: TargetBasis): number {
	const { cheapTargetFactor, modelRemainingTokens } = targetPolicy;
	const cheapTokens = Math.max(cheapTargetFactor * modelRemainingTokens, agentRemainingTokens);
	return scaleToWindow(cheapTokens, budget.contextWindow);
}

/** Returns the target of the policy `full` or `cheap`; undefined for `balanced`, and if the user replaced the policy. */
function computeTargetByPreference(basis: TargetBasis): number | undefined {
	const { breakdown, budget, settings } = basis;
	const { policy } = settings.compaction;
	if (policy === 'balanced' || isPolicyReplaced(settings)) return undefined;
	const trigger = computeTriggerTokens(budget, settings);
	const maxTokens = targetPolicy.belowTriggerShare * computeHistoryBudget(breakdown, trigger);
	const target =
		policy === 'cheap'
			? computeCheapTarget(basis)
			: findLargestTarget(trigger, describeCycle(basis, trigger));
	return Math.min(maxTokens, target);
}

/**
 * Returns the largest target at which a session is cheaper than with a model's compactions: with the agent's own at its
 * limit, or without an agent, with summaries at the trigger. The target is at least the size after such a compaction,
 * at most `belowTriggerShare` of the tokens below the trigger, and small enough for the rewrite to pay back before the
 * next compaction. Undefined if the cost does not decide.
 */
function computeTargetByCost(basis: TargetBasis): number | undefined {
	const { breakdown, budget, settings, prices, agentRemainingTokens } = basis;
	if (settings.compaction.targetRatio !== null || prices === undefined) return undefined;
	const trigger = computeTriggerTokens(budget, settings);
	const maxTargetTokens = targetPolicy.belowTriggerShare * computeHistoryBudget(breakdown, trigger);
	if (maxTargetTokens === 0) return undefined;
	const scale = (tokens: number): number => scaleToWindow(tokens, budget.contextWindow);
	const compaction = {
		triggerTokens: agentRemainingTokens === undefined ? trigger : Math.max(trigger, budget.available),
		remainingTokens: scale(agentRemainingTokens ?? targetPolicy.modelRemainingTokens),
		writtenTokens: scale(targetPolicy.modelSummaryTokens),
	};
	const costBasis = { ...describeCycle(basis, trigger), prices };
	const minTargetTokens = scale(targetPolicy.minTargetTokens);
	const target = Math.max(minTargetTokens, findBalancedTarget(trigger, compaction, costBasis));
	return Math.min(
		maxTargetTokens,
		Math.max(compaction.remainingTokens, Math.min(target, findLargestTarget(trigger, costBasis))),
	);
}

/** Returns the trigger at which a compaction to the smallest target pays back, as a share of the available tokens. */
function computePaybackShare(basis: TargetBasis): number {
	const { available, contextWindow } = basis.budget;
	const targetTokens = scaleToWindow(targetPolicy.minTargetTokens, contextWindow);
	return findSmallestTrigger(targetTokens, describeCycle(basis, available)) / Math.max(1, available);
}

/**
 * Returns the usual trigger, as a share of the available tokens. In a synced session, a large prefix or a small window
 * leaves few tokens for the history. If a compaction to the smallest target would then not pay back before the next one,
 * it waits while the request fits. A threshold, profile or target of the user always applies.
 */
export function computeUsualShare(basis: TargetBasis): number {
	const { budget, settings, growthTokens, agentRemainingTokens } = basis;
	const { compact } = budget.thresholds;
	const isSynced = agentRemainingTokens !== undefined && budget.limit.compacts === 'contextd';
	if (isPolicyReplaced(settings) || !isSynced || growthTokens === undefined) return compact;
	return Math.max(compact, Math.min(findLatestShare(basis), computePaybackShare(basis)));
}

/**
 * Returns the latest point for a compaction, as a share of the available tokens: one more request with the usual growth
 * must fit.
 */
function findLatestShare({ budget, growthTokens = targetPolicy.requestGrowthTokens }: TargetBasis): number {
	const { thresholds, available } = budget;
	const shareBeforeGrowth = 1 - growthTokens / Math.max(1, available);
	const { maxTriggerShare } = targetPolicy;
	return Math.max(thresholds.compact, Math.min(maxTriggerShare, thresholds.overflow, shareBeforeGrowth));
}

/** The sizes of a request that trigger a compaction. */
export interface DueLevels {
	/** Share of the available tokens at which a compaction is due while the cache is warm. */
	share: number;
	/** What determined `share`. */
	reason: TriggerReason;
	/** Share of the available tokens above which a compaction is due even if it does not pay back. */
	latestShare: number;
}

/**
 * Returns when a compaction is due: at the user's threshold, else by `compaction.policy`; earlier if a request would
 * exceed `compaction.maxCostPerCall`. Only a session that a plugin syncs can wait above its usual threshold.
 */
export function computeDueLevels(basis: TargetBasis): DueLevels {
	const { budget, settings, growthTokens, agentRemainingTokens } = basis;
	const { compact } = budget.thresholds;
	if (budget.limit.compacts !== 'contextd')
		return { share: compact, reason: 'threshold', latestShare: compact };
	const budgetShare = computeShareByBudget(basis);
	const isReplaced = isPolicyReplaced(settings);
	const chosenShare = computeTriggerTokens(budget, settings) / Math.max(1, budget.available);
	if (isReplaced && chosenShare <= budgetShare)
		return { share: compact, reason: 'setting', latestShare: compact };
	const { policy } = settings.compaction;
	const canWait =
		!isReplaced && (policy === 'full' || (agentRemainingTokens !== undefined && growthTokens !== undefined));
	const latestShare = canWait ? findLatestShare(basis) : compact;
	const usualShare = policy === 'full' && !isReplaced ? latestShare : computeUsualShare(basis);
	const costShare = policy === 'cheap' && !isReplaced ? computeShareByCost(basis) : Number.POSITIVE_INFINITY;
	const share = Math.min(usualShare, costShare, budgetShare);
	const reason = share === usualShare ? 'threshold' : share === costShare ? 'cost' : 'budget';
	return { share, latestShare, reason };
}

/** Returns the trigger at which compacting to the target of `cheap` is cheapest, as a share of the available tokens. */
function computeShareByCost(basis: TargetBasis): number {
	const { available } = basis.budget;
	return (
		findCheapestTrigger(computeCheapTarget(basis), describeCycle(basis, available)) / Math.max(1, available)
	);
}

/**
 * Returns the share of the available tokens at which reading the prompt costs `compaction.maxCostPerCall`; infinite
 * without such a limit or a known price. High enough for a compaction to pay back before the next one.
 */
function computeShareByBudget(basis: TargetBasis): number {
	const { budget, settings, usdPerMillion = 0, prices } = basis;
	const { maxCostPerCall } = settings.compaction;
	if (maxCostPerCall === null || usdPerMillion === 0) return Number.POSITIVE_INFINITY;
	const tokens = (maxCostPerCall * 1_000_000) / (usdPerMillion * (prices?.read ?? 1));
	return Math.max(tokens / Math.max(1, budget.available), computePaybackShare(basis));
}

/**
 * Returns the inputs of `decideCompaction`.
 *
 * @param promptTokens tokens of the next request, on the meter's scale
 * @param conditions the inputs that change with each request
 */
export function collectPolicyFigures(
	basis: TargetBasis,
	promptTokens: number,
	conditions: RequestConditions,
): PolicyFigures {
	const { budget, settings, breakdown, prices } = basis;
	const { share, reason, latestShare } = computeDueLevels(basis);
	const triggerBasis: TargetBasis = {
		...basis,
		budget: { ...budget, thresholds: { ...budget.thresholds, compact: share } },
	};
	const { policy, targetRatio } = settings.compaction;
	const { automatic: targetTokens } = computeTargets(triggerBasis);
	const dueTokens = computeTriggerTokens(triggerBasis.budget, settings);
	const triggerTokens =
		reason === 'budget' ? Math.min(dueTokens, convertShareToTokens(share, budget.available)) : dueTokens;
	const latestTokens = reason === 'setting' ? dueTokens : convertShareToTokens(latestShare, budget.available);
	return {
		preference: policy,
		promptTokens,
		historyTokens: breakdown.conversationHistory,
		triggerTokens,
		triggerReason: reason,
		latestTokens: Math.max(triggerTokens, latestTokens),
		targetTokens,
		minColdTokens: targetRatio === null ? computeCheapTarget(basis) : targetTokens,
		minColdSaving: scaleToWindow(targetPolicy.minColdSavingTokens[policy], budget.contextWindow),
		...(prices && { prices }),
		compactsWhenCold:
			budget.limit.compacts === 'contextd' &&
			(settings.agents.compactWhenCold || (policy !== 'full' && !isPolicyReplaced(settings))),
		expectedRequests,
		...conditions,
	};
}

/**
 * Returns the trigger, in tokens of the whole request, as a whole number: the user's number or else the threshold; with a
 * profile, at most its critical level.
 */
export function computeTriggerTokens(
	{ thresholds, available }: Budget,
	{ compaction, tokenThreshold }: Settings,
): number {
	const dueTokens = tokenThreshold > 0 ? tokenThreshold : convertShareToTokens(thresholds.compact, available);
	return compaction.profile === null
		? dueTokens
		: Math.min(dueTokens, convertShareToTokens(thresholds.critical, available));
}

/** Converts a share to tokens, rounded up. Removes floating-point errors first, because 0.55 · 100 is above 55. */
function convertShareToTokens(share: number, available: number): number {
	return Math.ceil(Math.round(share * available * 1e6) / 1e6);
}

/** Target tokens of the history for a compaction whose caller names no target. */
export interface CompactionTargets {
	requested: number;
	/** Like `requested`, but lower if a low threshold or little history brings the trigger near that target. */
	automatic: number;
}

/** Returns the targets of requested and of automatic compactions. */
export function computeTargets(basis: TargetBasis): CompactionTargets {
	const { breakdown, budget, settings } = basis;
	const requested = computeDefaultTarget(basis);
	const budgetTokens = computeHistoryBudget(breakdown, computeTriggerTokens(budget, settings));
	const isNearTrigger = budgetTokens > 0 && requested > targetPolicy.nearTriggerShare * budgetTokens;
	const automatic = isNearTrigger ? Math.floor(targetPolicy.belowTriggerShare * budgetTokens) : requested;
	return { requested, automatic };
}
