/** What providers charge for a prompt that they cache. Every price is a multiple of the price of an input token. */

import { familyName } from '../models/familyName.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalProvider } from '../models/provider.ts';

/** Prices of one model. */
export interface CachePrices {
	/** A token that is read from the cache. */
	read: number;
	/** A token that is written to the cache for the shortest time that the provider offers. */
	write: number;
	/** A token that is written to be kept for an hour. */
	writeForHour: number;
	/** A token of an answer. */
	output: number;
}

/** An input token that is neither read from a cache nor written to one. */
export const inputPrice = 1;

/**
 * Anthropic's list of November 2026 (platform.claude.com/docs/en/about-claude/pricing, "Prompt caching"): 1.25 for five
 * minutes and 2 for an hour. Requests are only cached from the breakpoints that the client sets, as all agents do.
 */
const anthropic: CachePrices = { read: 0.1, write: 1.25, writeForHour: 2, output: 5 };

/** Providers that cache by themselves charge nothing beyond the input for what they write. */
const automatic = { write: inputPrice, writeForHour: inputPrice };

/** The price list, by what the names of models begin with; the first row that matches applies. */
const models: readonly (readonly [RegExp, CachePrices])[] = [
	// The same page: the newest models of Anthropic read at a half and a quarter of the usual price.
	[/^claude-(?:opus|sonnet)-5-5/, { ...anthropic, read: 0.05 }],
	[/^claude-(?:fable|mythos)-5-1/, { ...anthropic, read: 0.025 }],
	[/^claude/, anthropic],
	// openai.com/api/pricing, as of June 2026. From GPT-5.6 on, writes have a price, and a cache lives for 30 minutes.
	[/^gpt-(?:5\.[6-9]|[6-9])/, { read: 0.1, write: 1.25, writeForHour: 1.25, output: 6 }],
	[/^gpt-5\.[45]/, { ...automatic, read: 0.1, output: 6 }],
	[/^(?:gpt-5|codex)/, { ...automatic, read: 0.1, output: 8 }],
	[/^(?:gpt-4o|chatgpt-4o|o1|o3-mini)/, { ...automatic, read: 0.5, output: 4 }],
	[/^(?:gpt-4\.1|o[34])/, { ...automatic, read: 0.25, output: 4 }],
	// ai.google.dev/gemini-api/docs/pricing: implicit caching, without the storage that explicit caches are charged for.
	[/^gemini/, { ...automatic, read: 0.1, output: 8 }],
	// api-docs.deepseek.com/quick_start/pricing, as of October 2026; off-peak, all prices are half as high.
	[/^deepseek-v4-pro/, { ...automatic, read: 0.033, output: 3 }],
	[/^deepseek-(?:v4-)?flash/, { ...automatic, read: 0.02, output: 4 }],
	// Earlier models of DeepSeek: a cache hit costs a tenth of a miss.
	[/^deepseek/, { ...automatic, read: 0.1, output: 2 }],
];

/** Prices of a family whose model the list does not name. */
const families: Readonly<Record<string, CachePrices>> = {
	claude: anthropic,
	'claude-4.7': anthropic,
	openai: { ...automatic, read: 0.1, output: 8 },
	gemini: { ...automatic, read: 0.1, output: 8 },
	deepseek: { ...automatic, read: 0.1, output: 2 },
};

/** Prices of a model; `isKnown` is false if its provider may not cache at all, and the usual prices are returned. */
export function lookupCachePrices(
	provider: string | undefined,
	model: string | undefined,
): CachePrices & { isKnown: boolean } {
	const id = parseModelId(model ?? '');
	const named = models.find(([pattern]) => pattern.test(id.name))?.[1];
	const prices = named ?? families[familyName(canonicalProvider(provider), id)];
	return { ...(prices ?? anthropic), isKnown: prices !== undefined };
}
