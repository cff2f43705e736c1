/** Looks up the prices of a model in the user's settings or the providers' lists (`priceLists.ts`). */

import type { ModelPrices } from '../../protocol/settingParts.ts';
import type { Settings } from '../../protocol/settings.ts';
import { findFamily } from '../models/familyName.ts';
import { matchesGlob } from '../models/glob.ts';
import { parseModelId } from '../models/modelId.ts';
import { canonicalizeProvider } from '../models/provider.ts';
import { type CacheMultiples, type LongPromptPrices, plainWritePrices, priceLists } from './priceLists.ts';

/** Prices of one model, as multiples of the price of an input token. */
export interface CachePrices extends CacheMultiples {
	/** Price of an output token. */
	output: number;
}

/** Prices of a model, as found in the settings or in a price list. */
export interface FoundPrices extends CachePrices {
	/**
	 * US dollars per million input tokens; undefined if neither the settings nor a list names the model. Costs are then
	 * multiples of the input price.
	 */
	usdPerMillion?: number;
	/** Prices of long prompts, in ascending order of their thresholds. */
	longPrompts: readonly LongPromptPrices[];
	/** Whether the provider is known to cache prompts. If not, the multiples are Anthropic's. */
	isKnown: boolean;
}

/** Price of an input token that is neither read from a cache nor written to one. */
export const inputPrice = 1;

const anthropicMultiples: CachePrices = { read: 0.1, write: 1.25, writeForHour: 2, output: 5 };

/** Multiples of unlisted models, by prefix of the model's name; the first match applies. */
const unlistedModelPrices: readonly (readonly [RegExp, CachePrices])[] = [
	[/^gpt-(?:5\.[6-9]|[6-9])/, { read: 0.1, write: 1.25, writeForHour: 1.25, output: 5 }],
	[/^gpt-5/, { ...plainWritePrices, read: 0.1, output: 8 }],
	[/^(?:gpt-4o|chatgpt-4o|o1|o3-mini)/, { ...plainWritePrices, read: 0.5, output: 4 }],
	[/^(?:gpt-4\.1|o[34])/, { ...plainWritePrices, read: 0.25, output: 4 }],
];

/** Prices of unlisted models, by family. */
const familyPrices: Readonly<Record<string, CachePrices>> = {
	claude: anthropicMultiples,
	'claude-4.7': anthropicMultiples,
	openai: { ...plainWritePrices, read: 0.1, output: 8 },
	gemini: { ...plainWritePrices, read: 0.1, output: 8 },
	deepseek: { ...plainWritePrices, read: 0.1, output: 2 },
};

/** Programs that serve models on the user's machine. They charge nothing, and it is unknown whether they cache. */
const localProviderPattern = /^(?:ollama|lm-?studio|llama-?(?:cpp|\.cpp|server)|vllm|mlx|jan|localai)$/;

/** Returns the prices that the user set for a model. If several patterns match, the last one wins. */
function findUserPrices(model: string, name: string, settings: Settings['prices']): ModelPrices | undefined {
	const exactName = model.trim();
	const matchesModel = ([pattern]: [string, ModelPrices]): boolean =>
		matchesGlob(pattern, exactName) || matchesGlob(pattern, name);
	return Object.entries(settings).findLast(matchesModel)?.[1];
}

/** Converts dollars per million tokens, as users write them, to multiples of the input price. */
function convertUserPrices(userPrices: ModelPrices, usualPrices: CachePrices): FoundPrices | undefined {
	const { input, output, cacheRead, cacheWrite, cacheWriteForHour } = userPrices;
	// A model without a price for input has no multiples; nothing is charged for it.
	if (input === 0) return { ...usualPrices, usdPerMillion: 0, longPrompts: [], isKnown: true };
	return {
		read: cacheRead === undefined ? usualPrices.read : cacheRead / input,
		write: cacheWrite === undefined ? usualPrices.write : cacheWrite / input,
		writeForHour:
			cacheWriteForHour === undefined
				? Math.max(usualPrices.writeForHour, (cacheWrite ?? 0) / input)
				: cacheWriteForHour / input,
		output: output / input,
		usdPerMillion: input,
		longPrompts: [],
		isKnown: true,
	};
}

/** Returns the prices of the first list that names a model. O(models). */
function findListedPrices(name: string): FoundPrices | undefined {
	for (const { cache, models } of priceLists) {
		const model = models.find(([pattern]) => pattern.test(name));
		if (model === undefined) continue;
		const [, input, output, { longPrompts = [], ...differences } = {}] = model;
		const multiples = { ...cache, ...differences, output: output / input };
		return { ...multiples, usdPerMillion: input, longPrompts, isKnown: true };
	}
	return undefined;
}

/**
 * Returns the prices of a model. If neither the settings nor a price list names it, there is no price in dollars, and
 * the multiples are those of its family. O(models).
 *
 * @param provider as the client named it
 * @param model as the client named it
 * @param prices the setting `prices`
 */
export function lookupPrices(
	provider: string | undefined,
	model: string | undefined,
	prices: Settings['prices'] = {},
): FoundPrices {
	const id = parseModelId(model ?? '');
	const host = canonicalizeProvider(provider);
	const isLocal = localProviderPattern.test(host);
	const listed = isLocal ? undefined : findListedPrices(id.name);
	const nameMultiples = unlistedModelPrices.find(([pattern]) => pattern.test(id.name))?.[1];
	const multiples = isLocal ? undefined : (nameMultiples ?? familyPrices[findFamily(host, id)]);
	const listPrices = listed ?? {
		...(multiples ?? anthropicMultiples),
		...(isLocal && { usdPerMillion: 0 }),
		longPrompts: [],
		isKnown: multiples !== undefined,
	};
	const userPrices = findUserPrices(model ?? '', id.name, prices);
	return (userPrices && convertUserPrices(userPrices, listPrices)) ?? listPrices;
}
