/** Derives the growth of a session's prompt, and the session's prices, from its messages. */

import type { Usage } from '../../protocol/conversation.ts';
import { isUsable, sumPromptTokens } from '../meter/meter.ts';
import { countRowTokens, type MeteredRow } from '../meter/totals.ts';
import type { CostBasis } from './compactionCost.ts';
import { inputPrice, lookupPrices } from './prices.ts';
import { maxRequestRows } from './sessionRequests.ts';

/** A message with the usage of the call that produced it. */
export interface PricedRow extends MeteredRow {
	usage?: Usage;
	stopReason?: string;
}

/** Number of requests without cached tokens after which a provider counts as not caching. */
const minUncachedRequests = 3;
/** Every caching provider caches prompts of this size: Anthropic's largest minimum (docs, "Cache limitations"). Tokens. */
const minCacheableTokens = 4096;

/** Returns the usable usage of the newest requests, oldest first. O(1). */
function readNewestUsage(rows: readonly PricedRow[]): Usage[] {
	return rows
		.slice(-maxRequestRows)
		.flatMap(({ role, usage, stopReason }) =>
			role === 'assistant' && isUsable(usage, stopReason) ? [usage] : [],
		);
}

/**
 * Returns the average growth of the prompt per request, in tokens; undefined before the first request. O(1). Uses reported
 * prompts, or the counts of messages if fewer than two were reported. A smaller prompt was compacted, and a prompt of
 * equal size belongs to the same request.
 *
 * @param factor tokens of the provider per counted token
 */
export function computeAverageGrowthTokens(rows: readonly PricedRow[], factor: number): number | undefined {
	const promptSizes = readNewestUsage(rows).map(sumPromptTokens);
	const growths = promptSizes.slice(1).flatMap((prompt, index) => {
		const growth = prompt - (promptSizes[index] ?? 0);
		return growth > 0 ? [growth] : [];
	});
	if (growths.length > 0) return growths.reduce((sum, growth) => sum + growth, 0) / growths.length;
	let requests = 0;
	let tokens = 0;
	for (const row of rows.slice(-maxRequestRows)) {
		if (row.role === 'assistant') requests++;
		tokens += (row.exact ? 1 : factor) * countRowTokens(row);
	}
	return requests === 0 ? undefined : tokens / requests;
}

/**
 * Returns the prices of a session; undefined if its provider does not cache prompts. O(1). Tokens read from or written to
 * a cache prove that one exists, and several prompts without such tokens prove the opposite. Without usage, the price
 * list decides: Claude, OpenAI, Gemini and DeepSeek cache. If the usage has no writes, writing is not charged separately;
 * writes for an hour raise the price of writing.
 */
export function findSessionPrices(
	rows: readonly PricedRow[],
	provider: string,
	model: string,
): CostBasis['prices'] | undefined {
	return findPricesByUsage(readNewestUsage(rows), provider, model);
}

/** Returns a session's prices like `findSessionPrices`, but from the usage of its requests. O(requests). */
export function findPricesByUsage(
	usages: readonly Usage[],
	provider: string,
	model: string,
): CostBasis['prices'] | undefined {
	const { read, write, writeForHour, output, isKnown } = lookupPrices(provider, model);
	const sum = (member: 'cacheRead' | 'cacheWrite' | 'cacheWriteForHour'): number =>
		usages.reduce((tokens, usage) => tokens + (usage[member] ?? 0), 0);
	const writtenTokens = sum('cacheWrite');
	if (writtenTokens > 0) {
		const hourShare = Math.min(1, sum('cacheWriteForHour') / writtenTokens);
		return { read, write: write + (writeForHour - write) * hourShare, output };
	}
	if (sum('cacheRead') > 0) return { read, write: inputPrice, output };
	const cacheable = usages.filter((usage) => sumPromptTokens(usage) >= minCacheableTokens);
	return isKnown && cacheable.length < minUncachedRequests ? { read, write, output } : undefined;
}
