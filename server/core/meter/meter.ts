/**
 * The meter: how provider-reported usage anchors the count of a history.
 *
 * A usage figure covers everything before the message it came with. With U the reported prompt, H and R the raw
 * counts of the history before that message and of the rest of the request:
 *
 *   m  the factor between the provider's tokens and raw counts, learned from the growth between successive figures
 *   ω  what the provider counts beyond all that was handed in (its own framing, a hidden system prompt)
 *   s  (U − ω) / (H + R): what the head really weighs
 *
 * The estimate is ω + s·head + output + m·tail + the request. A change of the view subtracts what it removed on
 * these same weights and re-estimates nothing, so that stats, receipts and budgets cannot disagree.
 */

import type { Usage } from '../../protocol/conversation.ts';
import type { RequestCounts } from '../measure/measure.ts';
import { factorBounds, ridge, widestGrowth } from './tuning.ts';

export interface Anchor {
	/** The assistant message that the figure came with. */
	seq: number;
	/** Tokens that this message itself stands for. */
	output: number;
	/** Weight of what lies before it. */
	scale: number;
	/** Tokens beyond all that was handed in. */
	other: number;
	/** Raw counts of the request as it was then. */
	request: RequestCounts;
	/** What lies at or before it has changed since: its weights hold, its figure does not. */
	void: boolean;
}

export interface Meter {
	factor: number;
	/** Growth seen so far, in the provider's tokens and in raw counts. */
	grown: { reported: number; counted: number };
	/** ω, and the measure it was learned under. */
	other: { tokens: number; measure: string };
	anchor?: Anchor;
	/** The last figure with what it covered, while nothing it covered has changed. */
	last?: { prompt: number; counted: number };
	/** What errors said since the last figure, which is believed until the next one. */
	correction?: Correction;
}

/** What the figures of errors tell of the history's weight. */
export interface Correction {
	/** By which every token of the history that no client counted exactly is multiplied. */
	weight: number;
	/** Refusals that speak for it. */
	refusals: number;
}

/** A usage figure and what it covers. */
export interface Observation {
	seq: number;
	usage: Usage;
	/** Raw tokens of the message itself. */
	own: number;
	/** Raw tokens of the visible history before it. */
	head: number;
	/** Tokens before it that clients counted exactly. */
	exact: number;
	/** Tokens of the model's window, where the figure goes beyond it. */
	window?: number;
	request: RequestCounts;
	measure: string;
}

export function emptyMeter(): Meter {
	return { factor: 1, grown: { reported: 0, counted: 0 }, other: { tokens: 0, measure: '' } };
}

/**
 * The meter of a session before its first message.
 * @param standing tokens that requests hold beside the messages, as figures told that the session passes over
 */
export function firstMeter(measure: string, standing = 0): Meter {
	if (standing === 0) return emptyMeter();
	const request: RequestCounts = {
		systemPrompt: 0,
		currentPrompt: 0,
		toolDefinitions: 0,
		fileAttachments: 0,
	};
	const anchor: Anchor = { seq: -1, output: 0, scale: 1, other: standing, request, void: true };
	return { ...emptyMeter(), other: { tokens: standing, measure }, anchor };
}

/** Tokens of the prompt that a usage figure reports, cached ones included. */
export function promptTokens(usage: Usage): number {
	return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** Whether a figure says anything: answers that were cut off report what was counted until then. */
export function isUsable(usage: Usage | undefined, stopReason: string | undefined): usage is Usage {
	if (!usage || stopReason === 'aborted' || stopReason === 'error') return false;
	const prompt = promptTokens(usage);
	return Number.isFinite(prompt) && prompt > 0 && Number.isFinite(usage.output) && usage.output >= 0;
}

/** Tokens of a whole call: its prompt and its answer. */
export function callTokens(usage: Usage): number {
	return promptTokens(usage) + usage.output;
}

/**
 * Whether a figure is not of one call: beyond the window, and far more than what the call was made from. Agents
 * report sums over many calls like that.
 */
export function isAggregatedUsage({ usage, window, head, own, exact, request }: Observation): boolean {
	const tokens = callTokens(usage);
	const counted = head + own + exact + standing(request);
	return window !== undefined && tokens > window && tokens > counted * widestGrowth;
}

/** What surrounds the history from one call to the next; the current prompt becomes part of the history. */
function standing(request: RequestCounts): number {
	return request.systemPrompt + request.toolDefinitions + request.fileAttachments;
}

function clampFactor(value: number): number {
	return Math.min(factorBounds.highest, Math.max(factorBounds.lowest, value));
}

function learnFactor(meter: Meter, prompt: number, counted: number): Pick<Meter, 'factor' | 'grown'> {
	const { factor, grown, last } = meter;
	if (!last) return { factor, grown };
	const reportedGrowth = prompt - last.prompt;
	const countedGrowth = counted - last.counted;
	if (countedGrowth <= 0 || reportedGrowth <= 0) return { factor, grown };
	const ratio = reportedGrowth / countedGrowth;
	if (ratio < 1 / widestGrowth || ratio > widestGrowth) return { factor, grown };
	const reported = grown.reported + reportedGrowth;
	const all = grown.counted + countedGrowth;
	return {
		factor: clampFactor((reported + ridge) / (all + ridge)),
		grown: { reported, counted: all },
	};
}

/** Parts of the request that were hidden in ω until the client handed them in. */
function newlyHandedIn(before: RequestCounts | undefined, now: RequestCounts): number {
	if (!before) return 0;
	let tokens = 0;
	if (before.systemPrompt === 0) tokens += now.systemPrompt;
	if (before.toolDefinitions === 0) tokens += now.toolDefinitions;
	return tokens;
}

/** The meter after a usable usage figure, which outweighs whatever errors said before. */
export function observe(meter: Meter, seen: Observation): Meter {
	const prompt = promptTokens(seen.usage) - seen.exact;
	const counted = seen.head + standing(seen.request);
	const { factor, grown } = learnFactor(meter, prompt, counted);
	const known = meter.other.measure === seen.measure;
	const hidden = known
		? Math.max(0, meter.other.tokens - factor * newlyHandedIn(meter.anchor?.request, seen.request))
		: Math.max(0, prompt - factor * counted);
	let other = Math.min(hidden, Math.max(0, prompt));
	let scale = counted > 0 ? Math.max(0, prompt - other) / counted : factor;
	if (scale > factorBounds.highest) {
		scale = factor;
		other = prompt - factor * counted;
	}
	const diverged = scale < factorBounds.lowest || other > Math.max(hidden, 0);
	if (scale < factorBounds.lowest) {
		// The provider was sent less than is known here (an agent that compacts by itself, say): nothing tells what is
		// missing, so the figure is shared out evenly.
		const share = Math.max(0, prompt) / Math.max(1, hidden + factor * counted);
		other = hidden * share;
		scale = factor * share;
	}
	// Logs often hold the output figure of the stream's start: below half of what the message counts it is that.
	const output = seen.usage.output < seen.own / 2 ? factor * seen.own : seen.usage.output;
	const anchor: Anchor = { seq: seen.seq, output, scale, other, request: seen.request, void: false };
	if (diverged) return { ...meter, anchor, last: undefined, correction: undefined };
	return {
		factor,
		grown,
		other: { tokens: hidden, measure: seen.measure },
		anchor,
		last: { prompt, counted },
	};
}

/** The meter after so many tokens that nobody handed in joined the requests; fewer than 0: they left. */
export function adjustOverhead(meter: Meter, tokens: number): Meter {
	const { anchor, other } = meter;
	const shifted = (before: number): number => Math.max(0, before + tokens);
	return {
		...meter,
		other: { ...other, tokens: shifted(other.tokens) },
		...(anchor && { anchor: { ...anchor, other: shifted(anchor.other) } }),
	};
}

/**
 * Returns the meter without a figure that cannot be of this history: one of a prompt less than half as large as what the
 * history counts, such as what an agent sent after it compacted by itself. The same meter if its figure can be.
 */
export function withoutShorterPrompt(meter: Meter): Meter {
	const { anchor, factor } = meter;
	if (!anchor || anchor.scale >= factorBounds.lowest) return meter;
	return { ...meter, anchor: { ...anchor, scale: factor } };
}

/** The meter after the view changed from some row on: weights stay, a figure that covered it no longer counts. */
export function invalidateFrom(meter: Meter, from: number): Meter {
	const { anchor } = meter;
	if (!anchor || from > anchor.seq) return { ...meter, last: undefined };
	return { ...meter, anchor: { ...anchor, void: true }, last: undefined };
}
