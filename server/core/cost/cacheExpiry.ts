/** What it costs if the provider's cache of a prompt expires. */

import type { CacheExpiry } from '../../protocol/stats.ts';
import { formatCost, isWorthShowing } from '../figures.ts';
import { promptTokens } from '../meter/meter.ts';
import { withoutUndefined } from '../shape.ts';
import { type CachedRequest, computeCacheState } from './cacheState.ts';
import type { CostBasis } from './compactionCost.ts';
import type { FoundPrices } from './prices.ts';

/** A session, as its cache is measured. */
export interface CachedSession {
	provider: string;
	model: string;
	/** The newest requests, oldest first. */
	requests: readonly CachedRequest[];
	/** Tokens of the next request. */
	nextTokens: number;
	/** Multiples of the input price in this session; absent if the provider caches nothing. */
	prices?: Pick<CostBasis['prices'], 'read' | 'write'>;
	/** The price of input in dollars. */
	inputPrices: Pick<FoundPrices, 'usdPerMillion' | 'longPrompts'>;
}

const million = 1_000_000;

/** Returns tokens at the price of input in US dollars; undefined if the price is unknown. */
export function convertTokensToUsd(tokens: number, usdPerMillion: number | undefined): number | undefined {
	return usdPerMillion === undefined ? undefined : (tokens * usdPerMillion) / million;
}

/**
 * Returns when the cache of a session's prompt expires, and what the next request costs more after that; undefined if
 * nothing is cached. O(requests). Only the newest prompt is in the cache: what came after it is new input anyway.
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
		...computeColdCost(Math.min(nextTokens, promptTokens(last.usage)), session),
	};
}

/** Returns what tokens cost more if they are not in the cache. */
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
		...withoutUndefined({ coldCost: convertTokensToUsd(coldCostTokens, inputPrices.usdPerMillion) }),
	};
}

const minuteMs = 60_000;
/** A status line shows when the cache expires in the last part of its lifetime, and at most this long before. */
const maxNearShare = 0.6;
const maxNearMs = 5 * minuteMs;
/** A cache that expired longer ago than this is of a session that nobody resumes. */
const maxExpiredMs = 24 * 60 * minuteMs;

/** Whether a status line should show the cache: it has expired or soon will, and that costs something. */
export function isExpiryNear(cache: CacheExpiry, now: number): boolean {
	const { warmUntil, lifetimeMs, coldCost, coldCostTokens } = cache;
	const isExpensive = isWorthShowing(coldCostTokens, coldCost);
	const leftMs = warmUntil - now;
	return isExpensive && leftMs <= Math.min(maxNearMs, maxNearShare * lifetimeMs) && leftMs >= -maxExpiredMs;
}

/** Returns when the cache expires and what that costs, in one phrase: `cache expires in 4 min: $0.41`. */
export function formatExpiry({ warmUntil, coldCost, coldCostTokens }: CacheExpiry, now: number): string {
	const price = formatCost(coldCostTokens, coldCost);
	if (now >= warmUntil) return `cache expired: ${price}`;
	return `cache expires in ${Math.max(1, Math.round((warmUntil - now) / minuteMs))} min: ${price}`;
}
