/** Computes the extra cost of a request after the provider's cache expired. */

import type { CacheExpiry } from '../../protocol/stats.ts';
import { formatCost, isWorthShowing } from '../figures.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { pickDefined } from '../shape.ts';
import { type CachedRequest, computeCacheState, minuteMs } from './cacheState.ts';
import type { CostBasis } from './compactionCost.ts';
import type { FoundPrices } from './prices.ts';

/** Facts about a session that determine the cost of an expired cache. */
export interface CachedSession {
	provider: string;
	model: string;
	/** The newest requests, oldest first. */
	requests: readonly CachedRequest[];
	/** Tokens of the next request. */
	nextTokens: number;
	/** Prices of cache reads and writes, as multiples of the input price; absent if the provider caches nothing. */
	prices?: Pick<CostBasis['prices'], 'read' | 'write'>;
	/** Price of input in dollars, with its multiples for long prompts. */
	inputPrices: Pick<FoundPrices, 'usdPerMillion' | 'longPrompts'>;
}

/** Converts input tokens to US dollars; undefined if the price is unknown. */
export function convertTokensToUsd(tokens: number, usdPerMillion: number | undefined): number | undefined {
	return usdPerMillion === undefined ? undefined : (tokens * usdPerMillion) / 1e6;
}

/**
 * Returns when the cache of a session's prompt expires, and the extra cost of a next request after that; undefined if
 * nothing is cached. O(requests). Counts only the newest prompt, because later messages are new input anyway.
 *
 * @param now milliseconds since the epoch
 */
export function computeCacheExpiry(now: number, session: CachedSession): CacheExpiry | undefined {
	const { requests, nextTokens, prices } = session;
	const state = computeCacheState(now, session);
	const last = requests.at(-1);
	if (state === undefined || last === undefined || prices === undefined) return undefined;
	const { warmUntil, lifetimeMs } = state;
	return {
		warmUntil,
		lifetimeMs,
		...computeColdCost(Math.min(nextTokens, sumPromptTokens(last.usage)), session),
	};
}

/** Returns the extra cost of tokens that are no longer in the cache. */
export function computeColdCost(
	coldTokens: number,
	{ nextTokens, prices, inputPrices }: Pick<CachedSession, 'nextTokens' | 'prices' | 'inputPrices'>,
): Pick<CacheExpiry, 'coldTokens' | 'coldCostTokens' | 'coldCost'> {
	const factor = inputPrices.longPrompts.findLast(({ aboveTokens }) => nextTokens > aboveTokens)?.input ?? 1;
	const { write = 0, read = 0 } = prices ?? {};
	const coldCostTokens = Math.round(factor * Math.max(0, write - read) * coldTokens);
	return {
		coldTokens,
		coldCostTokens,
		...pickDefined({ coldCost: convertTokensToUsd(coldCostTokens, inputPrices.usdPerMillion) }),
	};
}

/** A status line shows the expiry only during this last share of the cache's lifetime. */
const maxNearShare = 0.6;
/** Maximum time before the expiry at which a status line shows it. Milliseconds. */
const maxNearMs = 5 * minuteMs;
/** Maximum time after the expiry at which a status line shows it; later, few sessions are resumed. Milliseconds. */
const maxExpiredMs = 24 * 60 * minuteMs;

/** Whether a status line should show the cache's expiry: it is near or past, and its cost is not negligible. */
export function isExpiryNear(cache: CacheExpiry, now: number): boolean {
	const { warmUntil, lifetimeMs, coldCost, coldCostTokens } = cache;
	const isExpensive = isWorthShowing(coldCostTokens, coldCost);
	const leftMs = warmUntil - now;
	return isExpensive && leftMs <= Math.min(maxNearMs, maxNearShare * lifetimeMs) && leftMs >= -maxExpiredMs;
}

/** Formats when the cache expires and what that costs, in one phrase: `cache expires in 4 min: $0.41`. */
export function formatExpiry({ warmUntil, coldCost, coldCostTokens }: CacheExpiry, now: number): string {
	const price = formatCost(coldCostTokens, coldCost);
	if (now >= warmUntil) return `cache expired: ${price}`;
	return `cache expires in ${Math.max(1, Math.round((warmUntil - now) / minuteMs))} min: ${price}`;
}
