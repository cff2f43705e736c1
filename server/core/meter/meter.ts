/**
 * The meter: anchors the count of a history to the usage that providers report.
 *
 * A usage figure covers everything before the message that it came with. U is the reported prompt; H and R are the
 * raw counts of the history before that message and of the rest of the request.
 *
 * - m: the factor between the provider's tokens and raw counts, learned from the growth between successive figures.
 * - ω: tokens that the provider counts beyond everything handed in (its framing, a hidden system prompt).
 * - s = (U − ω) / (H + R): the weight of the head.
 *
 * The estimate is ω + s·head + output + m·tail + the request. A change of the view subtracts what it removed by the
 * same weights and re-estimates nothing, so stats, receipts and budgets cannot disagree.
 */

import type { Usage } from '../../protocol/conversation.ts';
import { emptyRequest, type RequestCounts } from '../measure/measure.ts';
import { factorBounds, maxGrowthRatio, pseudoEvidenceTokens } from './tuning.ts';

export interface Anchor {
	/** Ordinal of the assistant message that the usage was reported with. */
	seq: number;
	/** Tokens of the assistant message. */
	output: number;
	/** Weight of everything before the message. */
	scale: number;
	/** Tokens that the provider counts in addition to everything that clients handed in (ω). */
	other: number;
	/** Raw counts of the request when the usage was reported. */
	request: RequestCounts;
	/** Whether a message covered by the usage changed later: the weights stay valid, the reported total does not. */
	isVoid: boolean;
}

export interface Meter {
	factor: number;
	/** Growth seen so far, in the provider's tokens and in raw counts. */
	growth: { reported: number; counted: number };
	/** Tokens that the provider counts beyond what clients handed in (ω), and the measure with which they were learned. */
	other: { tokens: number; measure: string };
	anchor?: Anchor;
	/** The last reported prompt and the raw counts that it covered; absent after a covered message changed. */
	lastPrompt?: { promptTokens: number; countedTokens: number };
	/** The correction from overflow errors since the last usage; dropped when the next usage is reported. */
	correction?: Correction;
}

/** A correction of the history's weight, learned from token counts in overflow errors. */
export interface Correction {
	/** Factor for every token of the history that clients did not count exactly. */
	weight: number;
	/** Number of refusals that support the correction. */
	refusals: number;
}

/** The usage of one call, and the raw counts that the usage covers. */
export interface Observation {
	seq: number;
	usage: Usage;
	/** Raw tokens of the answer itself. */
	answerTokens: number;
	/** Raw tokens of the visible history before the answer. */
	headTokens: number;
	/** Tokens before the answer that clients counted exactly. */
	exactTokens: number;
	/** The model's window in tokens; set if the usage exceeds the window. */
	windowTokens?: number;
	request: RequestCounts;
	measure: string;
}

export function createEmptyMeter(): Meter {
	return { factor: 1, growth: { reported: 0, counted: 0 }, other: { tokens: 0, measure: '' } };
}

/**
 * Returns the meter of a session before its first message.
 *
 * @param overheadTokens tokens of requests besides messages, known from the usage in a skipped prefix
 */
export function createInitialMeter(measure: string, overheadTokens = 0): Meter {
	if (overheadTokens === 0) return createEmptyMeter();
	const anchor = { seq: -1, output: 0, scale: 1, other: overheadTokens, request: emptyRequest, isVoid: true };
	return { ...createEmptyMeter(), other: { tokens: overheadTokens, measure }, anchor };
}

/** Returns the tokens of the prompt that a usage reports, including cached tokens. */
export function sumPromptTokens(usage: Usage): number {
	return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** Whether a usage can be relied on. Answers that were cut off report only partial counts. */
export function isUsable(usage: Usage | undefined, stopReason: string | undefined): usage is Usage {
	if (!usage || stopReason === 'aborted' || stopReason === 'error') return false;
	const promptTokens = sumPromptTokens(usage);
	return (
		Number.isFinite(promptTokens) && promptTokens > 0 && Number.isFinite(usage.output) && usage.output >= 0
	);
}

/** Returns the tokens of a whole call: its prompt and its answer. */
export function sumCallTokens(usage: Usage): number {
	return sumPromptTokens(usage) + usage.output;
}

/**
 * Whether a usage is the sum of several calls, as some agents report: it exceeds the window and is far above the count
 * of one call.
 */
export function isAggregatedUsage({
	usage,
	windowTokens,
	headTokens,
	answerTokens,
	exactTokens,
	request,
}: Observation): boolean {
	const tokens = sumCallTokens(usage);
	const countedTokens = headTokens + answerTokens + exactTokens + countRepeatedTokens(request);
	return windowTokens !== undefined && tokens > windowTokens && tokens > countedTokens * maxGrowthRatio;
}

/**
 * Returns the tokens besides the history that repeat in each call. The current prompt is not included, because it becomes
 * part of the history.
 */
function countRepeatedTokens(request: RequestCounts): number {
	return request.systemPrompt + request.toolDefinitions + request.fileAttachments;
}

function learnFactor(
	meter: Meter,
	promptTokens: number,
	countedTokens: number,
): Pick<Meter, 'factor' | 'growth'> {
	const { factor, growth, lastPrompt } = meter;
	if (!lastPrompt) return { factor, growth };
	const reportedGrowth = promptTokens - lastPrompt.promptTokens;
	const countedGrowth = countedTokens - lastPrompt.countedTokens;
	if (countedGrowth <= 0 || reportedGrowth <= 0) return { factor, growth };
	const ratio = reportedGrowth / countedGrowth;
	if (ratio < 1 / maxGrowthRatio || ratio > maxGrowthRatio) return { factor, growth };
	const reported = growth.reported + reportedGrowth;
	const counted = growth.counted + countedGrowth;
	const average = (reported + pseudoEvidenceTokens) / (counted + pseudoEvidenceTokens);
	const learnedFactor = Math.min(factorBounds.max, Math.max(factorBounds.min, average));
	return { factor: learnedFactor, growth: { reported, counted } };
}

/** Returns the tokens of request parts that the client now reports, and that were counted as hidden tokens before. */
function countRevealedTokens(earlierRequest: RequestCounts | undefined, request: RequestCounts): number {
	const systemPrompt = earlierRequest?.systemPrompt === 0 ? request.systemPrompt : 0;
	const toolDefinitions = earlierRequest?.toolDefinitions === 0 ? request.toolDefinitions : 0;
	return systemPrompt + toolDefinitions;
}

/** Returns the meter after the usage of one call, which overrides all corrections from errors. */
export function applyObservation(meter: Meter, observation: Observation): Meter {
	const { seq, usage, answerTokens, headTokens, exactTokens, request, measure } = observation;
	const promptTokens = sumPromptTokens(usage) - exactTokens;
	const countedTokens = headTokens + countRepeatedTokens(request);
	const { factor, growth } = learnFactor(meter, promptTokens, countedTokens);
	const isMeasureKnown = meter.other.measure === measure;
	const hiddenTokens = isMeasureKnown
		? Math.max(0, meter.other.tokens - factor * countRevealedTokens(meter.anchor?.request, request))
		: Math.max(0, promptTokens - factor * countedTokens);
	let other = Math.min(hiddenTokens, Math.max(0, promptTokens));
	let scale = countedTokens > 0 ? Math.max(0, promptTokens - other) / countedTokens : factor;
	if (scale > factorBounds.max) {
		scale = factor;
		other = promptTokens - factor * countedTokens;
	}
	const hasDiverged = scale < factorBounds.min || other > Math.max(hiddenTokens, 0);
	if (scale < factorBounds.min) {
		// The provider received fewer messages than the history has, for example after the agent itself compacted. It
		// is unknown which messages were missing, so spread the reported tokens evenly.
		const share = Math.max(0, promptTokens) / Math.max(1, hiddenTokens + factor * countedTokens);
		other = hiddenTokens * share;
		scale = factor * share;
	}
	// Transcripts often state the output at the stream's start. Ignore figures below half of our own count.
	const output = usage.output < answerTokens / 2 ? factor * answerTokens : usage.output;
	const anchor: Anchor = { seq, output, scale, other, request, isVoid: false };
	if (hasDiverged) return { ...meter, anchor, lastPrompt: undefined, correction: undefined };
	return {
		factor,
		growth,
		other: { tokens: hiddenTokens, measure },
		anchor,
		lastPrompt: { promptTokens, countedTokens },
	};
}

/** Returns the meter after unreported overhead of the requests grew by these tokens (negative: shrank). */
export function adjustOverhead(meter: Meter, tokens: number): Meter {
	const { anchor, other } = meter;
	const addOverhead = (earlierRequest: number): number => Math.max(0, earlierRequest + tokens);
	return {
		...meter,
		other: { ...other, tokens: addOverhead(other.tokens) },
		...(anchor && { anchor: { ...anchor, other: addOverhead(anchor.other) } }),
	};
}

/**
 * Discards the weight that the last reported prompt implies if that prompt is less than half of the history's count, for
 * example because the agent compacted on its own. Otherwise returns the same meter.
 */
export function ignoreShorterPrompt(meter: Meter): Meter {
	const { anchor, factor } = meter;
	if (!anchor || anchor.scale >= factorBounds.min) return meter;
	return { ...meter, anchor: { ...anchor, scale: factor } };
}

/** Returns the meter after the view changed from a row on. Keeps the weights, and voids usage that covers the row. */
export function invalidateFrom(meter: Meter, from: number): Meter {
	const { anchor } = meter;
	if (!anchor || from > anchor.seq) return { ...meter, lastPrompt: undefined };
	return { ...meter, anchor: { ...anchor, isVoid: true }, lastPrompt: undefined };
}
