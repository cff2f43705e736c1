/**
 * Decides when a compaction is due, by its cost and its savings.
 *
 * While the cache is warm, rewriting I tokens once costs (w − r)·I more than reading them. If the compaction removes H
 * tokens, it saves r·H with every later request and pays back after (w − r)·I / (r·H) requests. After the cache expired,
 * the next request writes its whole prompt anyway: a compaction then costs nothing and saves w·H at once. If the session
 * ends soon, a compaction loses its cost, so the possible loss is limited to a share of the session's cost so far.
 *
 * All inputs are plain values that are stored with the decision, which makes it reproducible.
 */

import type { PolicyDecision, PolicyReason } from '../../protocol/compaction.ts';
import type { CompactionPreference } from '../../protocol/settingParts.ts';
import { type CostBasis, uncachedPrices } from './compactionCost.ts';

/** Why a compaction is due at the trigger. */
export type TriggerReason = Extract<PolicyReason, 'threshold' | 'cost' | 'budget' | 'setting'>;

/** Inputs of a decision. Numbers are tokens unless stated otherwise. */
export interface PolicyFigures {
	preference: CompactionPreference;
	/** Size of the next request. */
	promptTokens: number;
	/** Size of the history in the next request. A compaction shortens only the history. */
	historyTokens: number;
	/** A request of this size triggers a compaction while the cache is warm. */
	triggerTokens: number;
	triggerReason: TriggerReason;
	/** A request of this size triggers a compaction even if that does not pay back. */
	latestTokens: number;
	/** Target size of the history for a compaction at the trigger. */
	targetTokens: number;
	/** Minimum target size of the history for a compaction after the cache expired. */
	minColdTokens: number;
	/** After the cache expired, a compaction must save at least this many tokens in the next request, at the input price. */
	minColdSaving: number;
	/** Prices as multiples of the input price; absent if the provider caches nothing. */
	prices?: CostBasis['prices'];
	/** Whether the cache has expired. */
	isCold: boolean;
	/** Whether an expired cache can trigger a compaction. */
	compactsWhenCold: boolean;
	/** Whether a tool call of the newest message still waits for its result. */
	hasOpenCalls: boolean;
	/** Expected number of further requests in the session. */
	expectedRequests: number;
	/** Cost of the session so far, in tokens at the input price; absent if too few requests reported usage. */
	spentTokens?: number;
	/** The part of the last compaction's cost that later requests have not saved yet, in tokens at the input price. */
	owedTokens: number;
}

/**
 * Expected number of further requests in a session. A constant, because a better estimate saves almost nothing: with the
 * true number, `balanced` costs the same in a replay of recorded and of generated sessions, and `cheap` costs 1% less.
 * With the median number of further requests in other sessions, `cheap` costs between 1.8% less and 0.5% more in sessions
 * outside of the median's sample. With 5 instead of 10, `cheap` costs 4 to 5% more.
 */
export const expectedRequests = 10;

/**
 * Maximum loss by a compaction if the session ends with the next request, as a share of the session's cost so far. A
 * session may cost 5% more than without compactions, with `cheap` 10%; these shares are lower, to leave a margin for
 * inexact targets and for files that are read again.
 */
const maxLossShare: Readonly<Record<CompactionPreference, number>> = {
	full: 0.04,
	balanced: 0.04,
	cheap: 0.065,
};

/** Minimum share of the history to remove if the cache has expired, even if the history fits the target. */
const minColdShare = 0.5;

/** Returns the target of a compaction after the cache has expired, in tokens of the history. */
function computeColdTarget(figures: PolicyFigures): number {
	const { historyTokens, targetTokens, minColdTokens } = figures;
	const half = Math.floor(historyTokens * (1 - minColdShare));
	return Math.min(targetTokens, Math.max(minColdTokens, half));
}

/** Predicted cost and savings of a compaction to a target. */
type CompactionEffect = Omit<PolicyDecision, 'isDue' | 'reason'>;

function predictEffect(figures: PolicyFigures, targetTokens: number, isCold: boolean): CompactionEffect {
	const { prices, historyTokens, preference, expectedRequests: expectedCalls } = figures;
	const removedTokens = Math.max(0, historyTokens - targetTokens);
	const { read, write } = prices ?? uncachedPrices;
	const rewrittenTokens = isCold ? 0 : Math.min(historyTokens, targetTokens);
	const costTokens = Math.round(Math.max(0, write - read) * rewrittenTokens);
	const savedPerCall = read * removedTokens;
	return {
		preference,
		targetTokens,
		costTokens,
		savesOnceTokens: isCold ? Math.round(write * removedTokens) : 0,
		savesPerCallTokens: Math.round(savedPerCall),
		paysBackAfterCalls: savedPerCall === 0 ? 0 : Math.ceil(costTokens / savedPerCall),
		expectedCalls,
	};
}

/** A decision, and the figures that it is based on. */
export interface DecidedPolicy {
	figures: PolicyFigures;
	decision: PolicyDecision;
}

/** Returns why a compaction at the trigger should wait; undefined if it should not wait. */
function findWaitReason(figures: PolicyFigures, effect: CompactionEffect): PolicyReason | undefined {
	const { spentTokens, owedTokens, preference } = figures;
	const { costTokens, savesPerCallTokens, paysBackAfterCalls, expectedCalls } = effect;
	if (costTokens === 0) return undefined;
	if (savesPerCallTokens === 0 || paysBackAfterCalls > expectedCalls) return 'paysBackLate';
	if (spentTokens === undefined) return undefined;
	// The savings of the next request are certain, because it is sent anyway.
	const loss = Math.max(0, costTokens - savesPerCallTokens) + owedTokens;
	return loss > maxLossShare[preference] * spentTokens ? 'shortSession' : undefined;
}

/**
 * Decides whether a compaction is due. Equal figures give equal decisions. O(1).
 *
 * @returns the decision with its reason, and what a compaction would cost and save
 */
export function decideCompaction(figures: PolicyFigures): PolicyDecision {
	const { promptTokens, triggerTokens, triggerReason, latestTokens } = figures;
	const warmEffect = predictEffect(figures, figures.targetTokens, false);
	const decide = (isDue: boolean, reason: PolicyReason, effect = warmEffect): PolicyDecision => ({
		isDue,
		reason,
		...effect,
	});
	const isReached = promptTokens >= triggerTokens;
	if (triggerReason === 'setting' && isReached) return decide(true, 'setting');
	const isForced = promptTokens >= latestTokens;
	if (figures.hasOpenCalls && !isForced) return decide(false, isReached ? 'openCalls' : 'notReached');
	if (figures.isCold && figures.compactsWhenCold && figures.prices !== undefined) {
		const coldEffect = predictEffect(figures, computeColdTarget(figures), true);
		if (coldEffect.savesOnceTokens >= figures.minColdSaving) return decide(true, 'cold', coldEffect);
	}
	if (isForced) return decide(true, triggerReason);
	if (!isReached) return decide(false, 'notReached');
	const waitReason = findWaitReason(figures, warmEffect);
	return waitReason === undefined ? decide(true, triggerReason) : decide(false, waitReason);
}
