/** Prices of prompts that providers cache, as multiples of the price of an input token. */

import { findFamily } from '../models/familyName.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalProvider } from '../models/provider.ts';

/** Prices of one model. */
export interface CachePrices {
	/** Price of a token read from the cache. */
	read: number;
	/** Price of a token written to the cache for the provider's shortest lifetime. */
	write: number;
	/** Price of a token written to the cache for an hour. */
	writeForHour: number;
	/** Price of an output token. */
	output: number;
}

/** Price of an input token that is neither read from a cache nor written to one. */
export const inputPrice = 1;

/**
 * Anthropic's list of November 2026 (platform.claude.com/docs/en/about-claude/pricing, "Prompt
 * caching"): 1.25 for five minutes and 2 for an hour. Requests are only cached from breakpoints that the client sets,
 * as all agents do.
 */
const anthropic: CachePrices = { read: 0.1, write: 1.25, writeForHour: 2, output: 5 };

/** Providers that cache automatically do not charge for writes beyond the input. */
const automatic = { write: inputPrice, writeForHour: inputPrice };

/** The price list, by prefix of the model's name; the first match applies. */
const models: readonly (readonly [RegExp, CachePrices])[] = [
	// The same page: Anthropic's newest models charge a half and a quarter of the usual price for reads.
	[/^claude-(?:opus|sonnet)-5-5/, { ...anthropic, read: 0.05 }],
	[/^claude-(?:fable|mythos)-5-1/, { ...anthropic, read: 0.025 }],
	[/^claude/, anthropic],
	// openai.com/api/pricing, as of June 2026. From GPT-5.6 on, writes are charged, and a cache lives for 30 minutes.
	[/^gpt-(?:5\.[6-9]|[6-9])/, { read: 0.1, write: 1.25, writeForHour: 1.25, output: 6 }],
	[/^gpt-5\.[45]/, { ...automatic, read: 0.1, output: 6 }],
	[/^(?:gpt-5|codex)/, { ...automatic, read: 0.1, output: 8 }],
	[/^(?:gpt-4o|chatgpt-4o|o1|o3-mini)/, { ...automatic, read: 0.5, output: 4 }],
	[/^(?:gpt-4\.1|o[34])/, { ...automatic, read: 0.25, output: 4 }],
	// ai.google.dev/gemini-api/docs/pricing: implicit caching, without the storage fee of explicit caches.
	[/^gemini/, { ...automatic, read: 0.1, output: 8 }],
	// api-docs.deepseek.com/quick_start/pricing, as of October 2026; off-peak prices are half of these.
	[/^deepseek-v4-pro/, { ...automatic, read: 0.033, output: 3 }],
	[/^deepseek-(?:v4-)?flash/, { ...automatic, read: 0.02, output: 4 }],
	// Earlier DeepSeek models: a cache hit costs a tenth of a miss.
	[/^deepseek/, { ...automatic, read: 0.1, output: 2 }],
];

/** Prices by family, for models that the list does not name. */
const families: Readonly<Record<string, CachePrices>> = {
	claude: anthropic,
	'claude-4.7': anthropic,
	openai: { ...automatic, read: 0.1, output: 8 },
	gemini: { ...automatic, read: 0.1, output: 8 },
	deepseek: { ...automatic, read: 0.1, output: 2 },
};

/**
 * Returns the prices of a model. If it is unknown whether its provider caches, `isKnown` is false and
 * the prices are Anthropic's.
 */
export function lookupCachePrices(
	provider: string | undefined,
	model: string | undefined,
): CachePrices & { isKnown: boolean } {
	const id = parseModelId(model ?? '');
	const named = models.find(([pattern]) => pattern.test(id.name))?.[1];
	const prices = named ?? families[findFamily(canonicalProvider(provider), id)];
	return { ...(prices ?? anthropic), isKnown: prices !== undefined };
}
