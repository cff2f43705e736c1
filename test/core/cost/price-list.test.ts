import fc from 'fast-check';
import { MODEL_CONFIGS } from 'llm-zoo';
import { models as lensModels } from 'tokenlens';
import { describe, expect, it } from 'vitest';
import { priceLists } from '../../../server/core/cost/priceLists.ts';
import { lookupPrices } from '../../../server/core/cost/prices.ts';
import { parseModelId } from '../../../server/core/models/modelId.ts';

// Prices per million tokens in dollars, as providers list them: input, cached input, output.
it.each([
	['claude-fable-5-1', 10, 0.25, 50],
	['claude-opus-5-5', 4, 0.2, 20],
	['claude-opus-5', 5, 0.5, 25],
	['claude-opus-4.6', 5, 0.5, 25],
	['claude-opus-4-20250514', 15, 1.5, 75],
	['claude-opus-4-1-20250805', 15, 1.5, 75],
	['claude-sonnet-5-5', 2, 0.1, 10],
	['claude-sonnet-5', 2, 0.2, 10],
	['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3, 0.3, 15],
	['claude-sonnet-4@20250514', 3, 0.3, 15],
	['claude-3-haiku-20240307', 0.25, 0.03, 1.25],
	['openrouter/anthropic/claude-haiku-4.5', 1, 0.1, 5],
	['gpt-6.2-sol', 2, 0.1, 10],
	['gpt-5.6-terra', 2, 0.2, 12],
	['gpt-5.5', 5, 0.5, 30],
	['gpt-5.4-mini', 0.75, 0.075, 4.5],
	['gpt-5.3-codex', 1.75, 0.175, 14],
	['gpt-5.1-codex', 1.25, 0.125, 10],
	['gpt-5-2025-08-07', 1.25, 0.125, 10],
	['gpt-4.1', 2, 0.5, 8],
	['o3', 2, 0.5, 8],
	['o3-mini', 1.1, 0.55, 4.4],
	['gpt-4o', 2.5, 1.25, 10],
	['gemini-3.1-pro-preview', 2, 0.2, 12],
	['gemini-2.5-pro', 1.25, 0.125, 10],
	['deepseek-flash', 0.15, 0.003, 0.6],
	['deepseek-v4-pro', 0.66, 0.022, 1.98],
	['grok-4.7', 2, 0.5, 6],
	['kimi-k3', 3, 0.3, 15],
	['glm-5.3', 1.4, 0.26, 4.4],
])("a price matches the provider's price list for %s", (model, input, cached, output) => {
	const prices = lookupPrices(undefined, model);
	expect(prices.isKnown).toBe(true);
	expect(prices.usdPerMillion).toBe(input);
	expect(prices.read * input).toBeCloseTo(cached, 4);
	expect(prices.output * input).toBeCloseTo(output, 4);
});

it.each([
	['claude-haiku-5-5', 100_000, 5, 5],
	['claude-sonnet-4-5', 200_000, 2, 1.5],
	['gemini-2.5-pro', 200_000, 2, 1.5],
	['gpt-5.4', 272_000, 2, 1.5],
	['grok-4.3', 204_800, 2, 2],
])('a long prompt of %s costs more above %i tokens', (model, aboveTokens, input, output) => {
	expect(lookupPrices(undefined, model).longPrompts).toEqual([{ aboveTokens, input, output }]);
});

it('a newer model without a listed price has the multiples of its family and no price in dollars', () => {
	for (const model of ['claude-opus-7', 'claude-opus-4-9', 'claude-sonnet-5-6', 'gpt-7', 'gemini-9-pro']) {
		expect(lookupPrices(undefined, model)).toMatchObject({ isKnown: true, read: 0.1 });
		expect(lookupPrices(undefined, model).usdPerMillion, model).toBeUndefined();
	}
	expect(lookupPrices('somewhere', 'a-model')).toMatchObject({ isKnown: false, read: 0.1, write: 1.25 });
});

it('a model on the user’s own machine costs nothing, and its cache is unknown', () => {
	expect(lookupPrices('ollama', 'deepseek-v4-pro')).toMatchObject({ isKnown: false, usdPerMillion: 0 });
});

describe('the setting "prices"', () => {
	const opus = { input: 4, output: 20 };

	it('replaces listed prices by dollars per million tokens', () => {
		const set = { ...opus, cacheRead: 1, cacheWrite: 6, cacheWriteForHour: 10 };
		expect(lookupPrices('anthropic', 'claude-sonnet-4-5', { 'claude-*': set })).toEqual({
			read: 0.25,
			write: 1.5,
			writeForHour: 2.5,
			output: 5,
			usdPerMillion: 4,
			longPrompts: [],
			isKnown: true,
		});
	});

	it('keeps the usual multiples of the cache unless they are set', () => {
		const prices = lookupPrices('anthropic', 'claude-opus-5-5', { '*opus*': opus });
		expect(prices).toMatchObject({ read: 0.05, write: 1.25, writeForHour: 2 });
	});

	it('matches the bare name and the name as it is written, and the last pattern wins', () => {
		const set = { 'anthropic/*': opus, 'claude-*': { input: 7, output: 8 } };
		expect(lookupPrices(undefined, 'anthropic/claude-opus-5', set).usdPerMillion).toBe(7);
		expect(lookupPrices(undefined, 'anthropic/other', set).usdPerMillion).toBe(4);
		expect(lookupPrices(undefined, 'other', set).usdPerMillion).toBeUndefined();
	});

	it('allows models that cost nothing', () => {
		const prices = lookupPrices(undefined, 'mine', { mine: { input: 0, output: 0 } });
		expect(prices.usdPerMillion).toBe(0);
		expect(Object.values(prices).every((value) => typeof value !== 'number' || Number.isFinite(value))).toBe(
			true,
		);
	});
});

it('a price is finite and not negative for every name', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), (provider, model) => {
			const { read, write, writeForHour, output, usdPerMillion = 0 } = lookupPrices(provider, model);
			for (const price of [read, write, writeForHour, output, usdPerMillion]) {
				expect(Number.isFinite(price) && price >= 0).toBe(true);
			}
		}),
	);
});

/** Differences from the prices of other tables, with their reasons, by the model's bare name. */
const explained: Readonly<Record<string, string>> = {
	'gemini-3.6-flash': 'the introductory price of 3.6 to 3.8 Flash began later',
	'gemini-3-flash-preview': 'the other table repeats the price of 2.5 Flash',
	'gemini-2.5-flash-preview-05-20': 'the price of the preview, before the release',
	'gemini-2.5-flash-preview-04-17': 'the price of the preview, before the release',
	'deepseek-v4-pro': 'the price before it rose in August 2026',
	'deepseek-chat': 'the price of an earlier version behind the same name',
	'deepseek-reasoner': 'the price of an earlier version behind the same name',
	'gpt-4o': 'one entry of the other table is a subscription without a price per token',
	'claude-sonnet-4-20250514': 'the other table gives an alias of this name another price',
	'gpt-5.6-sol': 'one entry of the other table is the faster, more expensive tier',
};

interface OtherPrice {
	name: string;
	input: number;
	output: number;
}

const vendors = new Set(['anthropic', 'openai', 'google', 'deepseek', 'xai', 'zai', 'moonshotai']);

function otherPrices(): OtherPrice[] {
	const zoo = Object.values(MODEL_CONFIGS).map(({ fullName, inputPrice, outputPrice }) => ({
		name: parseModelId(fullName).name,
		input: inputPrice,
		output: outputPrice,
	}));
	const lens = Object.values(lensModels).flatMap(({ provider, vendorId, pricing }) => {
		const { inputPerMTokens: input, outputPerMTokens: output } = pricing ?? {};
		if (input === undefined || output === undefined) return [];
		return vendors.has(provider) ? [{ name: parseModelId(vendorId ?? '').name, input, output }] : [];
	});
	return [...zoo, ...lens];
}

describe('the price lists, compared with two published tables', () => {
	const compared = otherPrices().flatMap((other) => {
		const { usdPerMillion, output } = lookupPrices(undefined, other.name);
		if (usdPerMillion === undefined) return [];
		const isEqual =
			Math.abs(usdPerMillion - other.input) < 1e-6 && Math.abs(output * usdPerMillion - other.output) < 1e-6;
		return [{ name: other.name, isEqual }];
	});

	it('the price lists agree with two published tables, except for differences that are explained', () => {
		const differing = compared.filter(({ isEqual, name }) => !isEqual && !Object.hasOwn(explained, name));
		expect(differing).toEqual([]);
		expect(compared.length).toBeGreaterThan(100);
	});

	it('the price lists explain no difference that does not exist', () => {
		const differing = new Set(compared.filter(({ isEqual }) => !isEqual).map(({ name }) => name));
		expect(Object.keys(explained).filter((name) => !differing.has(name))).toEqual([]);
	});

	it('the price lists name no model twice', () => {
		for (const { name } of otherPrices()) {
			const lists = priceLists.filter(({ models }) => models.some(([pattern]) => pattern.test(name)));
			expect(lists.length, name).toBeLessThanOrEqual(1);
		}
	});
});
