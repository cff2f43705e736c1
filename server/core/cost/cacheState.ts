/** Estimates how long a provider caches a session's prompt, and whether the prompt is still cached. */

import type { Usage } from '../../protocol/conversation.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { findFamily } from '../models/familyName.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalizeProvider } from '../models/provider.ts';

/** Time and usage of a request, for computing the state of the cache. */
export interface CachedRequest {
	/** When the request was sent. Milliseconds since the epoch. */
	startedAt: number;
	usage: Usage;
}

/** The cache of a session's prompt at one moment. */
export interface CacheState {
	/** Milliseconds from a request's start until its prompt expires, unless another request reads the prompt. */
	lifetimeMs: number;
	/** When the cache expires. Milliseconds since the epoch. */
	warmUntil: number;
	isWarm: boolean;
}

export const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Shortest lifetime of any provider's cache after its last use. Milliseconds. */
export const minCacheLifetimeMs = 5 * minuteMs;

/** Lifetime of a cache after its last use. */
interface LifetimeRule {
	lifetimeMs: number;
	/** Set if the provider states only a usual lifetime. A read after a longer pause proves a longer lifetime. */
	isTypical?: true;
}

/** platform.claude.com/docs/en/build-with-claude/prompt-caching: counted from the request's start, refreshed by reads. */
const anthropicLifetime: LifetimeRule = { lifetimeMs: minCacheLifetimeMs };
/** developers.openai.com/docs/guides/prompt-caching: 5 to 10 minutes of inactivity, at most an hour. */
const inMemoryLifetime: LifetimeRule = { lifetimeMs: 10 * minuteMs, isTypical: true };

/** Lifetimes by prefix of the model's name; the first match applies. */
const modelLifetimes: readonly (readonly [RegExp, LifetimeRule])[] = [
	// OpenAI's guide to prompt caching: `prompt_cache_options.ttl` of GPT-5.6 and later only accepts 30 minutes.
	[/^gpt-(?:5\.[6-9]|[6-9])/, { lifetimeMs: 30 * minuteMs }],
	// GPT-5.5 only accepts the extended retention, which ends at the latest after 24 hours and often much earlier.
	[/^gpt-5\.5/, { lifetimeMs: hourMs, isTypical: true }],
];

/** Lifetimes by family, for models that the list does not name. */
const familyLifetimes: Readonly<Record<string, LifetimeRule>> = {
	claude: anthropicLifetime,
	'claude-4.7': anthropicLifetime,
	openai: inMemoryLifetime,
	// Google documents no lifetime of implicit caches, except that they are deleted within 24 hours.
	gemini: { lifetimeMs: hourMs, isTypical: true },
	// api-docs.deepseek.com/guides/kv_cache: unused entries are cleared within a few hours to a few days.
	deepseek: { lifetimeMs: 3 * hourMs, isTypical: true },
};

/** A request that reads at least this share of the previous prompt proves that the cache still existed. */
const minCachedShare = 0.5;

function findLifetimeRule(provider: string, model: string): LifetimeRule | undefined {
	const id = parseModelId(model);
	const modelRule = modelLifetimes.find(([pattern]) => pattern.test(id.name))?.[1];
	return modelRule ?? familyLifetimes[findFamily(canonicalizeProvider(provider), id)];
}

/** Returns the longest pause after which a request read the previous prompt from the cache, in milliseconds; else 0. */
function findLongestReadPauseMs(requests: readonly CachedRequest[]): number {
	let maxPauseMs = 0;
	for (const [index, { startedAt, usage }] of requests.entries()) {
		const previous = requests[index - 1];
		const isRead = previous && (usage.cacheRead ?? 0) >= minCachedShare * sumPromptTokens(previous.usage);
		if (isRead) maxPauseMs = Math.max(maxPauseMs, startedAt - previous.startedAt);
	}
	return maxPauseMs;
}

/**
 * Returns the lifetime of a session's cache after its last use, in milliseconds; undefined if the usage shows no cache
 * and the provider is not known to have one. O(requests). The session's usage takes precedence: the newest writes show
 * whether they are for an hour, and reads after a long pause prove a longer lifetime than the provider promises.
 *
 * @param requests the newest requests, oldest first
 */
export function estimateCacheLifetimeMs(
	provider: string,
	model: string,
	requests: readonly CachedRequest[],
): number | undefined {
	const newestWrite = requests.findLast(({ usage }) => (usage.cacheWrite ?? 0) > 0)?.usage;
	const { cacheWrite = 0, cacheWriteForHour = 0 } = newestWrite ?? {};
	if (cacheWriteForHour * 2 > cacheWrite) return hourMs;
	const isUsed = newestWrite !== undefined || requests.some(({ usage }) => (usage.cacheRead ?? 0) > 0);
	// Only providers with Anthropic's rules report writes.
	const defaultRule = isUsed ? (newestWrite === undefined ? inMemoryLifetime : anthropicLifetime) : undefined;
	const rule = findLifetimeRule(provider, model) ?? defaultRule;
	if (rule === undefined) return undefined;
	return rule.isTypical ? Math.max(rule.lifetimeMs, findLongestReadPauseMs(requests)) : rule.lifetimeMs;
}

/**
 * Returns the state of a session's cache; undefined if no request is known or nothing is cached. O(requests).
 *
 * @param requests the newest requests, oldest first
 * @param now milliseconds since the epoch
 */
export function computeCacheState(
	now: number,
	{ provider, model, requests }: { provider: string; model: string; requests: readonly CachedRequest[] },
): CacheState | undefined {
	const last = requests.at(-1);
	const lifetimeMs = estimateCacheLifetimeMs(provider, model, requests);
	if (last === undefined || lifetimeMs === undefined) return undefined;
	const warmUntil = last.startedAt + lifetimeMs;
	return { lifetimeMs, warmUntil, isWarm: now < warmUntil };
}
