/**
 * Learns from a provider's refusal, whose error names the tokens of the prompt. This number may be as good as a reported
 * usage, or something else (bytes, a sum, another request). So it corrects only the history's weight, within bounds, and
 * only until the next usage.
 */

import type { RequestCounts } from '../measure/measure.ts';
import type { Correction, Meter } from './meter.ts';
import { sumNumbers, weighHistory, weighRequest } from './reading.ts';
import { sumTally, type Totals } from './totals.ts';
import { maxRefusals, refusalBounds } from './tuning.ts';

/** A prompt that a provider counted and refused. */
export interface Refusal {
	/** Tokens that the provider counted. */
	prompt: number;
	/** The parts of the refused request besides the history, including the call's prompt. */
	request: RequestCounts;
}

/**
 * Returns the correction after a refusal. Its weight scales the history to the refused tokens minus the rest of the
 * request, within `refusalBounds`. Undefined if clients counted the whole history exactly: exact counts are never
 * corrected.
 */
export function computeCorrection(
	meter: Meter,
	totals: Totals,
	{ prompt, request }: Refusal,
): Correction | undefined {
	const uncorrected: Meter = { ...meter, correction: undefined };
	const exactTokens = sumTally(totals.exact);
	const historyTokens = sumTally(weighHistory(uncorrected, totals)) - exactTokens;
	if (historyTokens <= 0) return undefined;
	const otherTokens = sumNumbers(weighRequest(uncorrected, request));
	const refusals = Math.min(maxRefusals, (meter.correction?.refusals ?? 0) + 1);
	const neededWeight = (prompt - otherTokens - exactTokens) / historyTokens;
	return {
		weight: Math.max(refusalBounds.min, Math.min(refusalBounds.max ** refusals, neededWeight)),
		refusals,
	};
}
