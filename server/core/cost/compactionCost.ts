/**
 * Computes the cost of sending a growing prompt and compacting it, in tokens at the price of input. Omits new input and
 * answers, which cost the same with any compactions.
 *
 * A prompt grows by g tokens per request. At T tokens it is reduced to S; its first P tokens never change and stay in
 * the provider's cache. A cycle has (T − S)/g requests. With the prices r and w for reading a token from the cache
 * and writing one to it, the average cost of a request is
 *
 *   C(T, S) = r·(T + S)/2 + w·(S − P)·g/(T − S)
 *
 * The first term is the cost of reading the prompt at each request, at its mean size over a cycle. The second term
 * spreads the cost of the rewrite over the cycle. If a model writes a summary, each cycle also pays for reading the whole
 * prompt and writing the summary. The formula follows from the price lists alone (`prices.ts`) and assumes a warm cache.
 */

import type { CacheCost } from '../../protocol/compaction.ts';
import { formatDollars, formatNumber } from '../figures.ts';

/** Inputs of the cost of a session. Prices are multiples of the price of an input token. */
export interface CostBasis {
	/** Tokens by which the prompt grows from one request to the next (g). */
	growthTokens: number;
	/** Tokens at the start of the prompt that no compaction changes (P). */
	prefixTokens: number;
	prices: { read: number; write: number; output: number };
}

/** Sizes of a compaction by a model, in tokens. */
export interface ModelCompaction {
	/** Size of the prompt at which the model compacts, and which it reads. */
	triggerTokens: number;
	/** Size of the history after the compaction. */
	remainingTokens: number;
	/** Size of the summary that the model writes. */
	writtenTokens: number;
}

/**
 * Returns C(T, S), the cost of an average request, in tokens at the price of input; infinite unless S < T.
 *
 * @param triggerTokens tokens of the prompt before a compaction (T)
 * @param size tokens of the prompt after a compaction (S)
 */
export function computeCostPerRequest(
	triggerTokens: number,
	size: number,
	{ growthTokens, prefixTokens, prices }: CostBasis,
): number {
	if (size >= triggerTokens) return Number.POSITIVE_INFINITY;
	const rewrite = prices.write * Math.max(0, size - prefixTokens);
	return (prices.read * (triggerTokens + size)) / 2 + (rewrite * growthTokens) / (triggerTokens - size);
}

/**
 * Returns the cost of an average request if a model compacts: C(T, S) plus the model's call, spread over the cycle.
 * Assumes that the call reads the prompt from the cache, the cheapest case. Infinite unless the remaining prompt is
 * smaller than the trigger.
 */
export function computeModelCompactedCost(
	{ triggerTokens, remainingTokens, writtenTokens }: ModelCompaction,
	basis: CostBasis,
): number {
	const { growthTokens, prefixTokens, prices } = basis;
	const size = prefixTokens + remainingTokens;
	if (size >= triggerTokens) return Number.POSITIVE_INFINITY;
	const call = prices.read * triggerTokens + prices.output * writtenTokens;
	return computeCostPerRequest(triggerTokens, size, basis) + (call * growthTokens) / (triggerTokens - size);
}

/**
 * Returns the largest size S, in tokens, with C(T, S) ≤ cost: the smaller root of the quadratic equation C(T, S) = cost,
 * because C grows with S. Returns 0 if no size is that cheap, T if the cost is infinite.
 */
export function findLargestSize(
	cost: number,
	triggerTokens: number,
	{ growthTokens, prefixTokens, prices: { read, write } }: CostBasis,
): number {
	if (cost === Number.POSITIVE_INFINITY) return triggerTokens;
	const linear = write * growthTokens + cost;
	const constant =
		cost * triggerTokens + write * growthTokens * prefixTokens - (read * triggerTokens * triggerTokens) / 2;
	const discriminant = linear * linear - 2 * read * constant;
	return Math.max(0, (linear - Math.sqrt(Math.max(0, discriminant))) / read);
}

/** Planned share of the cost of a model's compactions. With it, the actual share stays at or below 0.95. */
const targetCostShare = 0.9;

/**
 * Returns the target size of a history, in tokens: the largest size at which a session costs at most 0.9 times as much as
 * with a model's compactions. May be negative if no size is that cheap.
 *
 * @param triggerTokens tokens of the prompt at which contextd compacts
 */
export function findBalancedTarget(triggerTokens: number, model: ModelCompaction, basis: CostBasis): number {
	const cost = targetCostShare * computeModelCompactedCost(model, basis);
	return Math.floor(findLargestSize(cost, triggerTokens, basis) - basis.prefixTokens);
}

/** A compaction should save this multiple of its cost before the next compaction. */
const minPaybackFactor = 2;
/** Minimum number of requests between compactions if rewriting is free, because each compaction loses history. */
const minCycleRequests = 10;

/** Prices without a cache: each request pays all tokens of its prompt in full. */
export const uncachedPrices: CostBasis['prices'] = { read: 1, write: 1, output: 5 };

/** Inputs of the cost of a session. Without prices nothing is cached, and rewriting is free. */
type CycleBasis = Omit<CostBasis, 'prices'> & Partial<Pick<CostBasis, 'prices'>>;

/**
 * Returns the tokens k such that a compaction from T to S pays back if (T − S)² ≥ k·(S − P). The compaction saves
 * r·(T − S) with each of the (T − S)/g requests of its cycle, and costs (w − r)·(S − P) once.
 */
function computePaybackTokens({ growthTokens, prices: { read, write } }: CostBasis): number {
	return (minPaybackFactor * growthTokens * Math.max(0, write - read)) / read;
}

/** Returns the largest target, in tokens of the history, at which a compaction at the trigger pays back; else 0. */
export function findLargestTarget(triggerTokens: number, basis: CycleBasis): number {
	const { growthTokens, prefixTokens, prices } = basis;
	const maxTargetTokens = Math.max(0, triggerTokens - prefixTokens);
	if (prices === undefined) return Math.max(0, maxTargetTokens - minCycleRequests * growthTokens);
	const half = computePaybackTokens({ growthTokens, prefixTokens, prices }) / 2;
	return Math.max(0, Math.floor(maxTargetTokens + half - Math.sqrt(half * (2 * maxTargetTokens + half))));
}

/** Returns the smallest trigger, in tokens of the prompt, at which a compaction to a target pays back. */
export function findSmallestTrigger(targetTokens: number, basis: CycleBasis): number {
	const { growthTokens, prefixTokens, prices } = basis;
	if (prices === undefined) return prefixTokens + targetTokens + minCycleRequests * growthTokens;
	return Math.ceil(
		prefixTokens +
			targetTokens +
			Math.sqrt(computePaybackTokens({ growthTokens, prefixTokens, prices }) * targetTokens),
	);
}

/**
 * Returns the trigger, in tokens of the prompt, at which compacting to a target is cheapest: T = S + √(2·(w/r)·(S − P)·g),
 * which minimizes C(T, S). At this trigger, a compaction pays back before the next one.
 */
export function findCheapestTrigger(targetTokens: number, basis: CycleBasis): number {
	const { growthTokens, prefixTokens, prices = uncachedPrices } = basis;
	const cycle = Math.sqrt((2 * prices.write * targetTokens * growthTokens) / prices.read);
	return Math.ceil(prefixTokens + targetTokens + Math.max(cycle, minCycleRequests * growthTokens));
}

/**
 * Returns the cost of rewriting the prompt, in tokens at the price of input, and the number of calls after which the
 * smaller prompt has saved that cost.
 *
 * @param rewrittenTokens tokens after the unchanged prefix of the prompt
 * @param savedTokens tokens that were removed from the prompt
 */
export function computeRewriteCost(
	rewrittenTokens: number,
	savedTokens: number,
	{ read, write }: CostBasis['prices'],
): { costTokens: number; paysBackAfterCalls: number } {
	const costTokens = Math.round(Math.max(0, write - read) * rewrittenTokens);
	return {
		costTokens,
		paysBackAfterCalls: savedTokens > 0 ? Math.ceil(costTokens / (read * savedTokens)) : 0,
	};
}

/** Formats a cost: `price: $0.24`, or `price: 80,500 of input` if the price of input is unknown. */
export function formatRewritePrice(costTokens: number, usdPerMillion: number | undefined): string {
	if (usdPerMillion === undefined) return `price: ${formatNumber(costTokens)} of input`;
	return `price: ${formatDollars((costTokens * usdPerMillion) / 1e6)}`;
}

/**
 * Describes what rewriting the provider's cache costs and when it pays back, in one phrase. Undefined
 * if rewriting is free or its cost was not recorded.
 *
 * @param usdPerMillion price of input; without it, the cost is in tokens of input
 */
export function describeRewrite(cache: CacheCost | undefined, usdPerMillion?: number): string | undefined {
	if (cache === undefined || cache.costTokens === 0) return undefined;
	const { rewrittenTokens, costTokens, paysBackAfterCalls: calls } = cache;
	const count = calls === 1 ? '1 call' : `${calls} calls`;
	const price = formatRewritePrice(costTokens, usdPerMillion);
	return `${formatNumber(rewrittenTokens)} tokens rewritten (${price}); pays back in ${count}`;
}
