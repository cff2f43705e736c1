/**
 * Predicts the tokens that each request of a session reads from and writes to the provider's prompt cache.
 *
 * There are two kinds of caches. Anthropic's cache stores a prompt up to each breakpoint that the client sets. Agents set
 * breakpoints at the end of the tools and system prompt, and at the end of the prompt. A later request finds the longest
 * stored prefix that it begins with. Other providers cache every prompt automatically, in whole blocks of tokens. In all
 * caches, a read extends the lifetime.
 * Sources: platform.claude.com/docs/en/build-with-claude/prompt-caching, developers.openai.com/api/docs/guides/prompt-caching,
 * ai.google.dev/gemini-api/docs/caching, api-docs.deepseek.com/guides/kv_cache; read in November 2026.
 */

import { findFamily } from '../models/familyName.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalizeProvider } from '../models/provider.ts';
import { type CachedRequest, estimateCacheLifetimeMs, minCacheLifetimeMs } from './cacheState.ts';

/** Rules of a provider's prompt cache. */
export interface CacheRules {
	/** `breakpoints`: prompts are stored up to marks of the client. `automatic`: every prompt is stored. */
	kind: 'breakpoints' | 'automatic';
	/** Time from the last write or read of a prompt until it expires. */
	lifetimeMs: number;
	/** Minimum tokens of a prompt that is cached. */
	minTokens: number;
	/** A cached prefix is a multiple of this many tokens. */
	blockTokens: number;
	/** Whether writes have a separate price; otherwise they cost as much as input. */
	chargesWrites: boolean;
}

/** Facts about a request that determine what it reads from the cache. */
export interface PromptRequest {
	/** When the request was sent, in milliseconds. Without times, nothing expires. */
	at?: number;
	/** Tokens of the whole prompt. */
	promptTokens: number;
	/** Tokens at the start that are equal to the previous prompt's; the previous prompt's size if nothing changed. */
	unchangedTokens: number;
	/** Tokens of the system prompt and the tools, which end at a separate breakpoint. */
	headTokens?: number;
	/** Tokens at the start of the prompt that the requests of other sessions keep in the cache, such as instructions. */
	sharedTokens?: number;
}

/** Tokens of one prompt, by how the provider charges them. */
export interface PromptCost {
	/** Tokens read from the cache. */
	read: number;
	/** Tokens written to the cache, if the provider charges writes separately. */
	write: number;
	/** Tokens charged as plain input. */
	input: number;
}

type RulesWithoutLifetime = Omit<CacheRules, 'lifetimeMs'>;

const breakpointRules: RulesWithoutLifetime = {
	kind: 'breakpoints',
	minTokens: 1024,
	blockTokens: 1,
	chargesWrites: true,
};

const automaticRules: RulesWithoutLifetime = {
	kind: 'automatic',
	minTokens: 1024,
	blockTokens: 128,
	chargesWrites: false,
};

/** Rules by prefix of the model's name; the first match applies. */
const rulesByModel: readonly (readonly [RegExp, RulesWithoutLifetime])[] = [
	[/^claude-(?:opus-4-[5-9]|opus-5|haiku-4-5|fable|mythos)/, { ...breakpointRules, minTokens: 4096 }],
	[/^gpt-(?:5\.[6-9]|[6-9])/, { ...automaticRules, chargesWrites: true }],
	[/^deepseek/, { ...automaticRules, minTokens: 64, blockTokens: 64 }],
];

/**
 * Returns the cache rules of a session's provider.
 *
 * @param requests the session's requests, oldest first. Their usage may prove a longer lifetime than the usual one.
 */
export function lookupCacheRules(
	provider: string,
	model: string,
	requests: readonly CachedRequest[] = [],
): CacheRules {
	const id = parseModelId(model);
	const modelRules = rulesByModel.find(([pattern]) => pattern.test(id.name))?.[1];
	const isClaude = findFamily(canonicalizeProvider(provider), id).startsWith('claude');
	const rules = modelRules ?? (isClaude ? breakpointRules : automaticRules);
	return { ...rules, lifetimeMs: estimateCacheLifetimeMs(provider, model, requests) ?? minCacheLifetimeMs };
}

/** Simulates a provider's cache during one session with one model. O(1) per request. */
export class PromptCache {
	readonly #rules: CacheRules;
	/** Tokens of the stored prefixes of the newest cached prompt, shortest first: its head, and the whole prompt. */
	#storedTokens: number[] = [];
	#usedAt: number | undefined;
	#previousPromptTokens: number | undefined;

	constructor(rules: CacheRules) {
		this.#rules = rules;
	}

	/** Simulates a request, and returns how its tokens are charged. */
	simulate(request: PromptRequest): PromptCost {
		const { minTokens, chargesWrites } = this.#rules;
		const { at, promptTokens, headTokens = 0 } = request;
		this.#dropUnusable(request);
		const isCacheable = promptTokens >= minTokens;
		const read = isCacheable ? Math.min(promptTokens, this.#countReadTokens(request)) : 0;
		if (isCacheable) {
			this.#storedTokens = [headTokens, promptTokens].sort((one, other) => one - other);
			this.#usedAt = at ?? this.#usedAt;
		}
		this.#previousPromptTokens = promptTokens;
		const rest = promptTokens - read;
		const isWritten = isCacheable && chargesWrites;
		return { read, write: isWritten ? rest : 0, input: isWritten ? 0 : rest };
	}

	/** Drops stored prefixes that expired or no longer match the request's start. */
	#dropUnusable({ at, unchangedTokens }: PromptRequest): void {
		const idleMs = at === undefined || this.#usedAt === undefined ? 0 : at - this.#usedAt;
		if (idleMs > this.#rules.lifetimeMs) this.#storedTokens = [];
		// An automatic cache stores each block separately, so blocks before a change remain cached.
		if (this.#rules.kind === 'automatic') return;
		this.#storedTokens = this.#storedTokens.filter((tokens) => tokens <= unchangedTokens);
	}

	/** Returns the tokens of the longest stored prefix that the request finds. */
	#countReadTokens({ headTokens, sharedTokens = 0, unchangedTokens }: PromptRequest): number {
		const { kind, blockTokens } = this.#rules;
		const canBeRead = (tokens: number): boolean =>
			kind === 'automatic' || tokens === headTokens || tokens === this.#previousPromptTokens;
		const readTokens = Math.min(unchangedTokens, this.#storedTokens.findLast(canBeRead) ?? 0);
		return Math.max(sharedTokens, Math.floor(readTokens / blockTokens) * blockTokens);
	}
}
