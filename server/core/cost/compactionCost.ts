/**
 * What carrying a prompt and compacting it costs, in tokens at the price of input. New input and answers cost the same
 * whatever is compacted, and are left out.
 *
 * A prompt grows by g tokens a request. When it reaches T, it is reduced to S; the first P of them never change, and
 * stay in the provider's cache. A cycle has (T − S)/g requests. With r and w, the prices of reading a token from the
 * cache and of writing it, a request costs on average
 *
 *   C(T, S) = r·(T + S)/2 + w·(S − P)·g/(T − S)
 *
 * The first term reads the prompt at every request: its mean size over a cycle. The second spreads the rewrite over the
 * cycle. A model that writes a summary adds, once a cycle, reading the whole prompt and writing the answer. The formula
 * follows from the price lists alone (`prices.ts`); the cache is taken to be warm.
 */

import type { CacheCost } from '../../protocol/compaction.ts';

/** What the cost of a session depends on. Prices are multiples of the price of an input token. */
export interface CostBasis {
	/** Tokens by which the prompt grows from one request to the next (g). */
	growth: number;
	/** Tokens at the front of the prompt that no compaction changes (P). */
	prefix: number;
	prices: { read: number; write: number; output: number };
}

/** A compaction by a model, in tokens: the prompt that it reads, what it leaves of the history, and what it writes. */
export interface ModelCompaction {
	trigger: number;
	leaves: number;
	writes: number;
}

/**
 * Returns C(T, S), the cost of an average request, in tokens at the price of input; infinite unless S is below T.
 * @param trigger tokens of the prompt at which it is reduced (T)
 * @param size tokens of the prompt after that (S)
 */
export function costPerRequest(trigger: number, size: number, { growth, prefix, prices }: CostBasis): number {
	if (size >= trigger) return Number.POSITIVE_INFINITY;
	const rewrite = prices.write * Math.max(0, size - prefix);
	return (prices.read * (trigger + size)) / 2 + (rewrite * growth) / (trigger - size);
}

/**
 * Returns the cost of an average request where a model compacts: C(T, S), and its call spread over the cycle. The call
 * is taken to find the prompt in the cache, which is the cheapest it can be. Infinite unless what it leaves is below the
 * trigger.
 */
export function modelCompactionCost({ trigger, leaves, writes }: ModelCompaction, basis: CostBasis): number {
	const { growth, prefix, prices } = basis;
	const size = prefix + leaves;
	if (size >= trigger) return Number.POSITIVE_INFINITY;
	const call = prices.read * trigger + prices.output * writes;
	return costPerRequest(trigger, size, basis) + (call * growth) / (trigger - size);
}

/**
 * Returns the largest size S at which C(T, S) is within a cost, in tokens; 0 if none is, T if the cost is infinite. C
 * grows with S, so this is the smaller root of C(T, S) = cost, a quadratic equation in S.
 */
export function largestSizeWithin(
	cost: number,
	trigger: number,
	{ growth, prefix, prices: { read, write } }: CostBasis,
): number {
	if (cost === Number.POSITIVE_INFINITY) return trigger;
	const linear = write * growth + cost;
	const constant = cost * trigger + write * growth * prefix - (read * trigger * trigger) / 2;
	const discriminant = linear * linear - 2 * read * constant;
	return Math.max(0, (linear - Math.sqrt(Math.max(0, discriminant))) / read);
}

/** Share of the cost of a model's compactions that is aimed at, so that 0.95 holds in practice. */
const aimedShare = 0.9;

/**
 * Returns the tokens that a history should come down to: the largest view with which a session costs 0.9 times as much
 * as with a model's own compactions. May be negative if no view is that cheap.
 * @param trigger tokens of the prompt at which contextd compacts
 */
export function balancedView(trigger: number, own: ModelCompaction, basis: CostBasis): number {
	const cost = aimedShare * modelCompactionCost(own, basis);
	return Math.floor(largestSizeWithin(cost, trigger, basis) - basis.prefix);
}

/** A compaction should save this many times what it costs before the next one is due. */
const minPayback = 2;
/** Requests between two compactions if no rewrite costs anything: each one takes something out of the history. */
const minCycleRequests = 10;

/** What a session costs; without prices nothing is cached, and a rewrite costs nothing. */
type CycleBasis = Omit<CostBasis, 'prices'> & Partial<Pick<CostBasis, 'prices'>>;

/**
 * Returns the tokens k for which a compaction to S at T pays back: (T − S)² ≥ k·(S − P). It saves r·(T − S) with each
 * of the (T − S)/g requests of its cycle, and costs (w − r)·(S − P) once.
 */
function paybackTokens({ growth, prices: { read, write } }: CostBasis): number {
	return (minPayback * growth * Math.max(0, write - read)) / read;
}

/** Returns the largest view, in tokens, to which a compaction at a trigger pays back; 0 if none does. */
export function largestViewPayingBack(trigger: number, basis: CycleBasis): number {
	const { growth, prefix, prices } = basis;
	const most = Math.max(0, trigger - prefix);
	if (prices === undefined) return Math.max(0, most - minCycleRequests * growth);
	const half = paybackTokens({ growth, prefix, prices }) / 2;
	return Math.max(0, Math.floor(most + half - Math.sqrt(half * (2 * most + half))));
}

/** Returns the smallest trigger, in tokens of the prompt, at which a compaction to a view pays back. */
export function smallestTriggerPayingBack(view: number, basis: CycleBasis): number {
	const { growth, prefix, prices } = basis;
	if (prices === undefined) return prefix + view + minCycleRequests * growth;
	return Math.ceil(prefix + view + Math.sqrt(paybackTokens({ growth, prefix, prices }) * view));
}

/**
 * Returns what a rewrite of the prompt costs, in tokens at the price of input, and the calls after which the smaller
 * prompt has saved that.
 * @param rewritten tokens behind the part of the prompt that did not change
 * @param saved tokens by which the prompt became smaller
 */
export function rewriteCost(
	rewritten: number,
	saved: number,
	{ read, write }: CostBasis['prices'],
): { costTokens: number; paysBackAfterCalls: number } {
	const costTokens = Math.round(Math.max(0, write - read) * rewritten);
	return { costTokens, paysBackAfterCalls: saved > 0 ? Math.ceil(costTokens / (read * saved)) : 0 };
}

/**
 * Returns in one phrase what rewriting the provider's cache costs and when it pays back; undefined if it costs nothing
 * beyond the tokens themselves, or nobody recorded it.
 * @param figure formats a number of tokens
 */
export function rewriteText(
	cache: CacheCost | undefined,
	figure: (tokens: number) => string,
): string | undefined {
	if (cache === undefined || cache.costTokens === 0) return undefined;
	const { rewrittenTokens, costTokens, paysBackAfterCalls: calls } = cache;
	const count = calls === 1 ? '1 call' : `${calls} calls`;
	return `${figure(rewrittenTokens)} tokens rewritten (price: ${figure(costTokens)} of input); pays back in ${count}`;
}

/** Says why a compaction is not due yet although the usual threshold is reached. */
export const heldBackText = 'held back: now it would not pay back before the next one';
