/** Computes the cost of a session so far, from the usage of all its requests. */

import type { Usage } from '../../protocol/conversation.ts';
import { isFields } from '../shape.ts';
import type { CostBasis } from './compactionCost.ts';
import { inputPrice } from './prices.ts';

/** Total usage of a session. */
export interface SpentUsage extends Required<Omit<Usage, 'cacheWriteForHour'>> {
	/** Number of requests that reported usage. */
	requests: number;
}

export const zeroSpentUsage: SpentUsage = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Minimum number of reported requests. With fewer, the session's first requests are probably missing. */
const minReportedRequests = 3;

/** Returns a message without the provider's usage. */
export function removeUsage(message: unknown): unknown {
	if (!isFields(message)) return message;
	const { usage: _, ...others } = message;
	return others;
}

/** Whether two usages belong to the same request. Agents repeat the usage with each message of an answer. */
export function isSameUsage(one: Usage | undefined, other: Usage): boolean {
	return (
		one !== undefined &&
		one.input === other.input &&
		one.output === other.output &&
		one.cacheRead === other.cacheRead &&
		one.cacheWrite === other.cacheWrite &&
		one.cacheWriteForHour === other.cacheWriteForHour
	);
}

/**
 * Returns the total including the usage of another request.
 *
 * @param oldUsage an earlier usage of the same request, which `usage` replaces
 */
export function addUsage(spent: SpentUsage, usage: Usage, oldUsage?: Usage): SpentUsage {
	const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
	return {
		requests: spent.requests + (oldUsage === undefined ? 1 : 0),
		input: spent.input + input - (oldUsage?.input ?? 0),
		output: spent.output + output - (oldUsage?.output ?? 0),
		cacheRead: spent.cacheRead + cacheRead - (oldUsage?.cacheRead ?? 0),
		cacheWrite: spent.cacheWrite + cacheWrite - (oldUsage?.cacheWrite ?? 0),
	};
}

/** Returns the cost of a session, in tokens at the input price; undefined if too few of its requests reported usage. */
export function computeSpentTokens(
	{ requests, input, output, cacheRead, cacheWrite }: SpentUsage,
	prices: CostBasis['prices'],
): number | undefined {
	if (requests < minReportedRequests) return undefined;
	return Math.round(
		inputPrice * input + prices.read * cacheRead + prices.write * cacheWrite + prices.output * output,
	);
}
