/** Estimates how long a provider caches a session's prompt, and whether the prompt is still cached. */

import type { Usage } from '../../protocol/conversation.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { findFamily } from '../models/familyName.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalizeProvider } from '../models/provider.ts';

/** Time and usage of one request, from which the state of the cache follows. */
export interface CachedRequest {
	/** When the request was sent. Milliseconds since the epoch. */
	startedAt: number;
	usage: Usage;
}

/** The cache of a session's prompt at one moment. */
export interface CacheState {
	/** Milliseconds from the start of a request until its prompt expires, unless another request reads it. */
	lifetimeMs: number;
	/** When the cache expires. Milliseconds since the epoch. */
	warmUntil: number;
	isWarm: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Minimum time that a provider's cache lasts after its last use. Milliseconds. */
export const minCacheLifetimeMs = 5 * minuteMs;

/** How long one kind of cache lasts after its last use. */
interface LifetimeRule {
	lifetimeMs: number;
	/** Set if the provider states only a usual lifetime, which reads after a longer pause can extend. */
	isTypical?: true;
}

/** platform.claude.com/docs/en/build-with-claude/prompt-caching: counted from the request's start, refreshed by reads. */
const anthropicLifetime: LifetimeRule = { lifetimeMs: minCacheLifetimeMs };
/** developers.openai.com/docs/guides/prompt-caching: 5 to 10 minutes of inactivity, at most an hour. */
const inMemoryLifetime: LifetimeRule = { lifetimeMs: 10 * minuteMs, isTypical: true };

/** Lifetimes by the beginning of the model's name; the first match applies. */
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
	const named = modelLifetimes.find(([pattern]) => pattern.test(id.name))?.[1];
	return named ?? familyLifetimes[findFamily(canonicalizeProvider(provider), id)];
}

/** Returns the longest pause after which a request still read the prompt before it, in milliseconds; 0 if none did. */
function findLongestReadPauseMs(requests: readonly CachedRequest[]): number {
	let longest = 0;
	for (const [index, { startedAt, usage }] of requests.entries()) {
		const before = requests[index - 1];
		const isRead = before && (usage.cacheRead ?? 0) >= minCachedShare * sumPromptTokens(before.usage);
		if (isRead) longest = Math.max(longest, startedAt - before.startedAt);
	}
	return longest;
}

/**
 * Returns how long the cache of a session lasts after its last use, in milliseconds; undefined if the figures show no
 * cache and the provider is not known to have one. O(requests). Figures of the session take precedence: the newest
 * writes say whether they are for an hour, and reads after a long pause prove a lifetime that no provider promises.
 *
 * @param requests the newest requests, oldest first
 */
export function estimateCacheLifetimeMs(
	provider: string,
	model: string,
	requests: readonly CachedRequest[],
): number | undefined {
	const written = requests.findLast(({ usage }) => (usage.cacheWrite ?? 0) > 0)?.usage;
	const forHour = written?.cacheWriteForHour ?? 0;
	if (written !== undefined && forHour * 2 > (written.cacheWrite ?? 0)) return hourMs;
	const isUsed = written !== undefined || requests.some(({ usage }) => (usage.cacheRead ?? 0) > 0);
	// Only providers with Anthropic's rules report writes.
	const unknown = isUsed ? (written === undefined ? inMemoryLifetime : anthropicLifetime) : undefined;
	const rule = findLifetimeRule(provider, model) ?? unknown;
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
