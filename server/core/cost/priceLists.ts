/**
 * Price lists of providers, each with its source and the month in which it was read. Prices are US dollars per million tokens of the
 * standard tier, without batches, faster tiers and regional surcharges. `prices.ts` looks up models.
 */

/** Prices of a model's cache, as multiples of the price of an input token. */
export interface CacheMultiples {
	/** Price of a token read from the cache. */
	read: number;
	/** Price of a token written to the cache for the provider's shortest lifetime. */
	write: number;
	/** Price of a token written to the cache for an hour. */
	writeForHour: number;
}

/** Multiples that apply to a whole request, answer included, if its prompt is long. */
export interface LongPromptPrices {
	/** The multiples apply to prompts with more tokens, including cached tokens. */
	aboveTokens: number;
	/** Multiple of the usual prices of input, cache reads and cache writes. */
	input: number;
	/** Multiple of the usual price of output. */
	output: number;
}

/** Prices of a model that differ from the defaults of its list. */
interface ModelDifferences extends Partial<CacheMultiples> {
	longPrompts?: readonly LongPromptPrices[];
}

/** A pattern of model names, its prices in US dollars per million tokens, and differences from the list's defaults. */
export type ListedModel = readonly [
	pattern: RegExp,
	input: number,
	output: number,
	differences?: ModelDifferences,
];

export interface PriceList {
	/** Prices of the cache, unless a model has its own. */
	cache: CacheMultiples;
	/** The models of the list; the first pattern that matches a model's name applies. */
	models: readonly ListedModel[];
}

/** Prices for prompts above a number of tokens: twice the usual price of input and 1.5 times that of output. */
const doubleInputPrice = (aboveTokens: number): ModelDifferences => ({
	longPrompts: [{ aboveTokens, input: 2, output: 1.5 }],
});

/** Prices for prompts above a number of tokens: twice the usual prices of input and output. */
const doublePrices = (aboveTokens: number): ModelDifferences => ({
	longPrompts: [{ aboveTokens, input: 2, output: 2 }],
});

/** Prices of providers that charge cache writes like plain input. */
export const plainWritePrices = { write: 1, writeForHour: 1 };

/**
 * Source: https://platform.claude.com/docs/en/about-claude/pricing, read in November 2026. Anthropic caches only up to
 * breakpoints that the client sets; all agents set breakpoints.
 */
const anthropicPrices: PriceList = {
	cache: { read: 0.1, write: 1.25, writeForHour: 2 },
	models: [
		[/^claude-(?:fable|mythos)-5-1(?!\d)/, 10, 50, { read: 0.025 }],
		[/^claude-(?:fable|mythos)-5(?!-\d(?!\d))/, 10, 50],
		[/^claude-opus-5-5(?!\d)/, 4, 20, { read: 0.05 }],
		[/^claude-opus-(?:5(?!-\d(?!\d))|4-[5-8](?!\d))/, 5, 25],
		[/^claude-(?:opus-4(?:-[01](?!\d)|(?!-\d(?!\d)))|3-opus)/, 15, 75],
		[/^claude-sonnet-5-5(?!\d)/, 2, 10, { read: 0.05 }],
		[/^claude-sonnet-5(?!-\d(?!\d))/, 2, 10],
		[/^claude-sonnet-4-6(?!\d)/, 3, 15],
		[/^claude-sonnet-4(?:-[05](?!\d)|(?!-\d(?!\d)))/, 3, 15, doubleInputPrice(200_000)],
		[/^claude-3(?:-[57])?-sonnet/, 3, 15],
		[/^claude-haiku-5-5(?!\d)/, 0.1, 0.5, { longPrompts: [{ aboveTokens: 100_000, input: 5, output: 5 }] }],
		[/^claude-haiku-4-5(?!\d)/, 1, 5],
		[/^claude-3-5-haiku/, 0.8, 4],
		[/^claude-3-haiku/, 0.25, 1.25, { read: 0.12, write: 1.2 }],
	],
};

/** From GPT-5.6 on, OpenAI charges cache writes, and a cache lasts for 30 minutes. */
const chargedWritePrices = { write: 1.25, writeForHour: 1.25, ...doubleInputPrice(272_000) };

/** Source: https://developers.openai.com/api/docs/pricing, read in November 2026. */
const openaiPrices: PriceList = {
	cache: { read: 0.1, ...plainWritePrices },
	models: [
		[/^gpt-6\.2-astra/, 8, 40, { ...chargedWritePrices, read: 0.05 }],
		[/^gpt-6\.[12]-sol/, 2, 10, { ...chargedWritePrices, read: 0.05 }],
		[/^gpt-6-astra/, 10, 50, chargedWritePrices],
		[/^gpt-6-sol/, 2, 10, chargedWritePrices],
		[/^gpt-6-luna/, 0.1, 0.5, chargedWritePrices],
		[/^gpt-5\.6-sol/, 4, 20, chargedWritePrices],
		[/^gpt-5\.6-terra/, 2, 12, chargedWritePrices],
		[/^gpt-5\.6-luna/, 0.2, 1.2, chargedWritePrices],
		// The `pro` models have no price for cached input.
		[/^gpt-5\.[45]-pro/, 30, 180, { read: 1 }],
		[/^gpt-5\.2-pro/, 21, 168, { read: 1 }],
		[/^gpt-5-pro/, 15, 120, { read: 1 }],
		[/^gpt-5\.5(?!\d)/, 5, 30, doubleInputPrice(272_000)],
		[/^gpt-5\.4-mini/, 0.75, 4.5],
		[/^gpt-5\.4-nano/, 0.2, 1.25],
		[/^gpt-5\.4(?!\d)/, 2.5, 15, doubleInputPrice(272_000)],
		[/^gpt-5\.[23](?!\d)/, 1.75, 14],
		[/^gpt-5(?:\.1)?(?:-codex)?-mini/, 0.25, 2],
		[/^gpt-5-nano/, 0.05, 0.4],
		[/^gpt-5(?:\.1)?(?![.\d])/, 1.25, 10],
		[/^codex-mini/, 1.5, 6, { read: 0.25 }],
		[/^gpt-4\.1-mini/, 0.4, 1.6, { read: 0.25 }],
		[/^gpt-4\.1-nano/, 0.1, 0.4, { read: 0.25 }],
		[/^gpt-4\.1(?!\d)/, 2, 8, { read: 0.25 }],
		[/^gpt-4o-mini/, 0.15, 0.6, { read: 0.5 }],
		[/^gpt-4o/, 2.5, 10, { read: 0.5 }],
		[/^o3-mini/, 1.1, 4.4, { read: 0.5 }],
		[/^o3(?:-20|$)/, 2, 8, { read: 0.25 }],
		[/^o4-mini(?!-deep)/, 1.1, 4.4, { read: 0.25 }],
		[/^o1(?:-20|$)/, 15, 60, { read: 0.5 }],
	],
};

/**
 * Prices with implicit caching, which has no storage fee. The prices of 3.6 to 3.8 Flash end with December 2026. Source:
 * https://ai.google.dev/gemini-api/docs/pricing, read in November 2026.
 */
const googlePrices: PriceList = {
	cache: { read: 0.1, ...plainWritePrices },
	models: [
		[/^gemini-4-neon/, 3, 15, { read: 0.05 }],
		[/^gemini-4-hydrogen/, 1.5, 7.5, { read: 0.05 }],
		[/^gemini-3\.[678]-flash(?!-lite)/, 0.75, 3.75],
		[/^gemini-3\.5-flash-lite/, 0.3, 2.5],
		[/^gemini-3\.5-flash/, 1.5, 9],
		[/^gemini-3(?:\.1)?-pro/, 2, 12, doubleInputPrice(200_000)],
		[/^gemini-3\.1-flash-lite/, 0.25, 1.5],
		[/^gemini-3-flash/, 0.5, 3],
		[/^gemini-2\.5-pro/, 1.25, 10, doubleInputPrice(200_000)],
		[/^gemini-2\.5-flash-lite/, 0.1, 0.4],
		[/^gemini-2\.5-flash/, 0.3, 2.5],
		[/^gemini-2\.0-flash-lite/, 0.075, 0.3, { read: 0.25 }],
		[/^gemini-2\.0-flash/, 0.1, 0.4, { read: 0.25 }],
	],
};

/**
 * Off-peak prices; from 01:00 to 04:00 and 06:00 to 10:00 UTC on working days everything costs twice as much. Source:
 * https://api-docs.deepseek.com/quick_start/pricing, read in October 2026.
 */
const deepseekPrices: PriceList = {
	cache: { read: 0.1, ...plainWritePrices },
	models: [
		[/^deepseek-v4-pro/, 0.66, 1.98, { read: 1 / 30 }],
		[/^deepseek-(?:v4-|v4\.1-)?flash/, 0.15, 0.6, { read: 0.02 }],
		[/^deepseek-(?:chat|reasoner|v3\.2)/, 0.28, 0.42],
	],
};

/** Source: https://docs.x.ai/developers/models, read in September 2026. */
const xaiPrices: PriceList = {
	cache: { read: 0.25, ...plainWritePrices },
	models: [
		[/^grok-4\.[567](?!\d)/, 2, 6, doublePrices(204_800)],
		[/^grok-4\.3(?!\d)/, 1.25, 2.5, { read: 0.16, ...doublePrices(204_800) }],
		[/^grok-4(?:-0709|$)/, 3, 15, doublePrices(128_000)],
		[/^grok-3-mini(?!-fast)/, 0.3, 0.5],
		[/^grok-3(?!-fast|-mini)/, 3, 15],
	],
};

/** Source: https://platform.kimi.ai/docs/pricing, read in August 2026. */
const moonshotPrices: PriceList = {
	cache: { read: 0.1, ...plainWritePrices },
	models: [
		[/^kimi-k3(?!\d)/, 3, 15],
		[/^kimi-k2\.7-code(?!-highspeed)/, 0.95, 4, { read: 0.2 }],
		[/^kimi-k2\.5(?!\d)/, 0.6, 3, { read: 1 / 6 }],
		[/^kimi-k2-thinking(?!-turbo)/, 0.6, 2.5, { read: 0.25 }],
	],
};

/** Source: https://docs.z.ai/guides/overview/pricing, read in August 2026. */
const zaiPrices: PriceList = {
	cache: { read: 0.2, ...plainWritePrices },
	models: [
		[/^glm-5\.3-flash/, 0.075, 0.25],
		[/^glm-5\.[123](?![\d-])/, 1.4, 4.4, { read: 0.26 / 1.4 }],
		[/^glm-5v?-turbo/, 1.2, 4],
		[/^glm-5(?![.\d-])/, 1, 3.2],
		[/^glm-4\.[567](?![\dv-])/, 0.6, 2.2, { read: 0.11 / 0.6 }],
	],
};

/** Lists of all providers. No model name matches two lists. */
export const priceLists: readonly PriceList[] = [
	anthropicPrices,
	openaiPrices,
	googlePrices,
	deepseekPrices,
	xaiPrices,
	moonshotPrices,
	zaiPrices,
];
