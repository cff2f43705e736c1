/**
 * What a provider's refusal tells of the count: it named the tokens of the prompt, which is as good as a usage figure
 * where it is meant so, and anything at all where it is not (bytes, a sum, another request). So it is believed so far
 * only, of the history alone, and until the next figure.
 */

import type { RequestCounts } from '../measure/measure.ts';
import type { Correction, Meter } from './meter.ts';
import { weighHistory, weighRequest } from './reading.ts';
import { sumTally, type Totals } from './totals.ts';
import { mostRefusals, refusalBounds } from './tuning.ts';

/** A prompt that a provider counted and refused. */
export interface Refusal {
	/** Tokens that the provider counted. */
	prompt: number;
	/** All that surrounded the history, the prompt of that call included. */
	request: RequestCounts;
}

/**
 * The correction that a refusal asks for, continuous in its figure: the weight at which the history would make up
 * what the provider counted beyond the rest of the request, within the bounds of belief. Undefined where clients
 * counted the whole history exactly, which no error corrects.
 */
export function correctionBy(
	meter: Meter,
	totals: Totals,
	{ prompt, request }: Refusal,
): Correction | undefined {
	const plain: Meter = { ...meter, correction: undefined };
	const exact = sumTally(totals.exact);
	const history = sumTally(weighHistory(plain, totals)) - exact;
	if (history <= 0) return undefined;
	const { systemPrompt, currentPrompt, toolDefinitions, fileAttachments, other } = weighRequest(
		plain,
		request,
	);
	const around = systemPrompt + currentPrompt + toolDefinitions + fileAttachments + other;
	const refusals = Math.min(mostRefusals, (meter.correction?.refusals ?? 0) + 1);
	const wanted = (prompt - around - exact) / history;
	return {
		weight: Math.max(refusalBounds.lowest, Math.min(refusalBounds.highest ** refusals, wanted)),
		refusals,
	};
}
