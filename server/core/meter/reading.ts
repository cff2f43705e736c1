/** Reads the meter: tokens of a history and of the other parts of the request, by category. */

import type { Breakdown, ContextStats, DetailPart, StatsDetails, Tally } from '../../protocol/stats.ts';
import type { RequestCounts } from '../measure/measure.ts';
import type { Meter } from './meter.ts';
import {
	categories,
	countRowTokens,
	createEmptyTally,
	type MeteredRow,
	type RawTally,
	sumTally,
	type Totals,
} from './totals.ts';

export interface MeterReading {
	/** Tokens of the whole request: the sum of the breakdown. */
	tokens: number;
	breakdown: Breakdown;
	/** Tokens by kind of content; sums to `breakdown.conversationHistory`. */
	history: Tally;
	source: ContextStats['source'];
}

/** Returns the weight of one raw token of a row. */
export function findTokenWeight(meter: Meter, row: MeteredRow): number {
	return row.exact ? 1 : findCorrectionWeight(meter) * findMeasuredWeight(meter, row);
}

function findCorrectionWeight({ correction }: Meter): number {
	return correction?.weight ?? 1;
}

function findMeasuredWeight(meter: Meter, row: MeteredRow): number {
	const { anchor } = meter;
	if (!anchor || row.seq > anchor.seq) return meter.factor;
	if (row.seq === anchor.seq && !row.made) {
		const rowTokens = countRowTokens(row);
		return rowTokens > 0 ? anchor.output / rowTokens : 0;
	}
	return anchor.scale;
}

/** Returns the tokens of one visible row on the meter's scale, not rounded. */
export function weighRow(meter: Meter, row: MeteredRow): number {
	return findTokenWeight(meter, row) * countRowTokens(row);
}

/** Returns the tokens of the visible history on the meter's scale, by category, not rounded. */
export function weighHistory(meter: Meter, totals: Totals): Tally {
	const history = createEmptyTally();
	for (const category of categories) history[category] = weighCategory(meter, totals, category);
	return history;
}

/** Returns the tokens of one category of the visible history on the meter's scale, not rounded. */
export function weighCategory(meter: Meter, totals: Totals, name: keyof RawTally): number {
	const { anchor, factor } = meter;
	const weight = findCorrectionWeight(meter);
	const anchorTokens = sumTally(totals.anchor);
	return (
		weight * (anchor?.scale ?? factor) * totals.head[name] +
		weight * (anchorTokens > 0 ? ((anchor?.output ?? 0) * totals.anchor[name]) / anchorTokens : 0) +
		weight * factor * totals.tail[name] +
		totals.exact[name]
	);
}

/**
 * Returns the tokens of a request besides its history on the meter's scale, not rounded: system prompt, current prompt,
 * tool definitions, file attachments, and everything else that the provider counts.
 */
export function weighRequest(meter: Meter, request: RequestCounts): number[] {
	const { anchor, factor } = meter;
	const anchorRequest = anchor?.request;
	let other = anchor?.other ?? 0;
	const weighPart = (field: 'systemPrompt' | 'toolDefinitions' | 'fileAttachments'): number => {
		const before = anchorRequest?.[field] ?? 0;
		return Math.max(0, (anchor?.scale ?? factor) * before + factor * (request[field] - before));
	};
	const weighRevealed = (field: 'systemPrompt' | 'toolDefinitions'): number => {
		const tokens = weighPart(field);
		if (anchorRequest && anchorRequest[field] === 0) other = Math.max(0, other - tokens);
		return tokens;
	};
	const systemPrompt = weighRevealed('systemPrompt');
	const toolDefinitions = weighRevealed('toolDefinitions');
	const currentPrompt = factor * request.currentPrompt;
	return [systemPrompt, currentPrompt, toolDefinitions, weighPart('fileAttachments'), other];
}

export function sumNumbers(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0);
}

/** Rounds values to integers that add up to their rounded sum (largest remainder method). */
export function roundToSum(values: readonly number[]): number[] {
	const integers = values.map(Math.floor);
	let missingUnits = Math.round(sumNumbers(values)) - sumNumbers(integers);
	const byRemainder = values
		.map((value, index) => ({ index, remainder: value - Math.floor(value) }))
		.sort((a, b) => b.remainder - a.remainder || a.index - b.index);
	for (const { index } of byRemainder) {
		if (missingUnits <= 0) break;
		integers[index] = (integers[index] ?? 0) + 1;
		missingUnits--;
	}
	return integers;
}

function findSource(meter: Meter, totals: Totals, request: RequestCounts): ContextStats['source'] {
	const { anchor } = meter;
	if (!anchor || anchor.isVoid || meter.correction) return 'estimated';
	const anchorRequest = anchor.request;
	const isSameRequest =
		anchorRequest.systemPrompt === request.systemPrompt &&
		anchorRequest.toolDefinitions === request.toolDefinitions &&
		anchorRequest.fileAttachments === request.fileAttachments &&
		request.currentPrompt === 0;
	return sumTally(totals.tail) === 0 && isSameRequest ? 'reported' : 'anchored';
}

/** Returns the tokens and the source of a reading without its categories, which is faster than `readMeter`. */
export function readMeterTokens(
	meter: Meter,
	totals: Totals,
	request: RequestCounts,
): Pick<MeterReading, 'tokens' | 'source'> {
	// The numbers are added in the same order as in `readMeter`, so that both round to the same sum.
	const tokens = sumNumbers([sumTally(weighHistory(meter, totals)), ...weighRequest(meter, request)]);
	return { tokens: Math.round(tokens), source: findSource(meter, totals, request) };
}

/** Reads the meter. Takes constant time for any length of history. */
export function readMeter(meter: Meter, totals: Totals, request: RequestCounts): MeterReading {
	const history = weighHistory(meter, totals);
	const roundedTokens = roundToSum([
		...categories.map((category) => history[category]),
		...weighRequest(meter, request),
	]);
	const tally = createEmptyTally();
	for (const [index, category] of categories.entries()) tally[category] = roundedTokens[index] ?? 0;
	const [systemPrompt = 0, currentPrompt = 0, toolDefinitions = 0, fileAttachments = 0, other = 0] =
		roundedTokens.slice(categories.length);
	const conversationHistory = sumTally(tally);
	return {
		tokens: conversationHistory + systemPrompt + currentPrompt + toolDefinitions + fileAttachments + other,
		breakdown: { systemPrompt, conversationHistory, currentPrompt, toolDefinitions, fileAttachments, other },
		history: tally,
		source: findSource(meter, totals, request),
	};
}

/** Name of the part for tokens that no reported part explains. */
const unexplainedPartName = 'Not reported by the agent';

/**
 * Returns the parts of the system prompt, the tools and the overhead, scaled so that each list sums to its category. If
 * the provider counts more overhead than the parts have together, the rest becomes one more part. Undefined if no category
 * has parts.
 */
export function scaleDetails(breakdown: Breakdown, rawDetails: StatsDetails): StatsDetails | undefined {
	const details: StatsDetails = {};
	const { systemPrompt = [], toolDefinitions = [], other = [] } = rawDetails;
	if (systemPrompt.length > 0 && breakdown.systemPrompt > 0)
		details.systemPrompt = scaleParts(systemPrompt, breakdown.systemPrompt);
	if (toolDefinitions.length > 0 && breakdown.toolDefinitions > 0)
		details.toolDefinitions = scaleParts(toolDefinitions, breakdown.toolDefinitions);
	if (other.length > 0 && breakdown.other > 0) {
		const rest = breakdown.other - sumNumbers(other.map(({ tokens }) => tokens));
		details.other = scaleParts(
			rest > 0 ? [...other, { name: unexplainedPartName, tokens: rest }] : other,
			breakdown.other,
		);
	}
	return Object.keys(details).length > 0 ? details : undefined;
}

function scaleParts(parts: readonly DetailPart[], totalTokens: number): DetailPart[] {
	const sum = sumNumbers(parts.map(({ tokens }) => tokens));
	const roundedTokens = roundToSum(
		parts.map(({ tokens }) => (sum > 0 ? (tokens * totalTokens) / sum : totalTokens / parts.length)),
	);
	return parts
		.map(({ name }, index) => ({ name, tokens: roundedTokens[index] ?? 0 }))
		.sort((a, b) => b.tokens - a.tokens);
}

/**
 * Converts a decision's token counts from the history to the whole request, with the system prompt, the tools and the
 * provider's overhead.
 */
export function toWholeRequest<Decision extends { tokensBefore: number; tokensAfter: number }>(
	decision: Decision,
	{ estimatedInputTokens, breakdown }: ContextStats,
): Decision {
	const otherTokens = estimatedInputTokens - breakdown.conversationHistory;
	const { tokensBefore, tokensAfter } = decision;
	return { ...decision, tokensBefore: tokensBefore + otherTokens, tokensAfter: tokensAfter + otherTokens };
}
