/** Amounts of money as whole numbers, whose sums are exact in any order. */

import type { Usage } from '../../../protocol/conversation.ts';
import { sumPromptTokens } from '../../meter/meter.ts';
import type { FoundPrices } from '../prices.ts';

/** An amount of money: dollars for models with a known price, input tokens for all other models. */
export interface Money {
	/** Cost in billionths of a US dollar, for models with a known price. */
	nanoUsd: number;
	/** Cost in thousandths of an input token, for models without a known price. */
	milliInputs: number;
}

/** Cost of one call, by kind of token. */
export interface CallCost {
	unit: keyof Money;
	/** Cost of input that was not read from a cache. */
	input: number;
	cacheRead: number;
	cacheWrite: number;
	output: number;
}

type TokenKind = Exclude<keyof CallCost, 'unit'>;

const tokenKinds: readonly TokenKind[] = ['input', 'cacheRead', 'cacheWrite', 'output'];

const nanoUsdPerUsd = 1e9;
const milliInputsPerToken = 1000;

export function createZeroMoney(): Money {
	return { nanoUsd: 0, milliInputs: 0 };
}

export function addMoney(sum: Money, { nanoUsd, milliInputs }: Money): void {
	sum.nanoUsd += nanoUsd;
	sum.milliInputs += milliInputs;
}

/** Orders money, most expensive first: dollars, then tokens of models without a price. */
export function compareMoney(one: Money, other: Money): number {
	return other.nanoUsd - one.nanoUsd || other.milliInputs - one.milliInputs;
}

export function sumCallCost({ input, cacheRead, cacheWrite, output }: Omit<CallCost, 'unit'>): number {
	return input + cacheRead + cacheWrite + output;
}

/** Returns the cost of each kind of token in a usage, as a number of input tokens at the usual price. */
function computeUsageWeights(usage: Usage, prices: FoundPrices, isSum: boolean): Omit<CallCost, 'unit'> {
	const promptTokens = sumPromptTokens(usage);
	// A sum over several calls does not reveal the length of any one prompt.
	const longPromptPrices = isSum
		? undefined
		: prices.longPrompts.findLast(({ aboveTokens }) => promptTokens > aboveTokens);
	const { input = 1, output = 1 } = longPromptPrices ?? {};
	const writtenTokens = usage.cacheWrite ?? 0;
	const hourTokens = Math.min(writtenTokens, usage.cacheWriteForHour ?? 0);
	return {
		input: usage.input * input,
		cacheRead: (usage.cacheRead ?? 0) * prices.read * input,
		cacheWrite: ((writtenTokens - hourTokens) * prices.write + hourTokens * prices.writeForHour) * input,
		output: usage.output * prices.output * output,
	};
}

/** Splits a whole number by weights into whole numbers with the same sum. */
function splitByWeight(total: number, weights: Omit<CallCost, 'unit'>): Omit<CallCost, 'unit'> {
	const sum = sumCallCost(weights);
	const parts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
	for (const kind of tokenKinds) parts[kind] = sum > 0 ? Math.floor((total * weights[kind]) / sum) : 0;
	const rest = total - sumCallCost(parts);
	const largest = tokenKinds.reduce((best, kind) => (weights[kind] > weights[best] ? kind : best), 'output');
	parts[largest] += rest;
	return parts;
}

/** The facts that determine the cost of a call. */
export interface PricedCall {
	usage: Usage;
	/** US dollars that the agent states; they take precedence over the price list. */
	usd?: number;
	/** Whether the usage is the sum of several calls. */
	isSum?: true;
}

/** Returns the cost of a call: as stated by its agent, else by the price list, else as multiples of the input price. */
export function computeCallCost({ usage, usd, isSum }: PricedCall, prices: FoundPrices): CallCost {
	const multiples = computeUsageWeights(usage, prices, isSum === true);
	if (usd !== undefined)
		return { unit: 'nanoUsd', ...splitByWeight(Math.round(usd * nanoUsdPerUsd), multiples) };
	const { usdPerMillion } = prices;
	const factor = usdPerMillion === undefined ? milliInputsPerToken : (usdPerMillion * nanoUsdPerUsd) / 1e6;
	return {
		unit: usdPerMillion === undefined ? 'milliInputs' : 'nanoUsd',
		input: Math.round(multiples.input * factor),
		cacheRead: Math.round(multiples.cacheRead * factor),
		cacheWrite: Math.round(multiples.cacheWrite * factor),
		output: Math.round(multiples.output * factor),
	};
}

/** Returns the part of an amount whose price is known, in US dollars. */
export function convertToUsd({ nanoUsd }: Money): number {
	return nanoUsd / nanoUsdPerUsd;
}

/** Returns the part of an amount whose price is unknown, in input tokens. */
export function convertToInputTokens({ milliInputs }: Money): number {
	return milliInputs / milliInputsPerToken;
}
