/** The measure of a conversation: a family of models and a way to count text. */

import type { EstimatorName } from '../../protocol/conversation.ts';
import type { TokenFamily } from '../models/tokenFamily.ts';
import { computeImageTokens, type ImageShape } from './imageTokens.ts';
import { imageTokenEstimate } from './text/heuristic.ts';

/** Tokens of one message before any calibration, by kind of content. */
export interface Counts {
	/** Text and reasoning, with the message's framing. */
	text: number;
	/** Tool calls: names, arguments, framing. */
	calls: number;
	images: number;
}

/** Tokens of the parts that surround the history in the next model call. */
export interface RequestCounts {
	systemPrompt: number;
	currentPrompt: number;
	toolDefinitions: number;
	fileAttachments: number;
}

export const emptyRequest: RequestCounts = {
	systemPrompt: 0,
	currentPrompt: 0,
	toolDefinitions: 0,
	fileAttachments: 0,
};

interface MeasureInput {
	family: TokenFamily;
	estimator: EstimatorName;
	/**
	 * Tokens of a text. For `exact` and `calibrated`: tokens of the vocabulary `family.vocabulary`, which the
	 * measure scales to the model. For `heuristic`: the result of the formula, including the provider's multiplier.
	 */
	countText: (text: string) => number;
}

export interface Measure {
	readonly family: TokenFamily;
	readonly estimator: EstimatorName;
	/** Tokens of a text on the model's scale; not rounded, so that many short texts add up correctly. */
	readonly countTextTokens: (text: string) => number;
	readonly countImageTokens: (image: ImageShape) => number;
}

export function createMeasure({ family, estimator, countText }: MeasureInput): Measure {
	if (estimator === 'heuristic')
		return { family, estimator, countTextTokens: countText, countImageTokens: () => imageTokenEstimate };
	return {
		family,
		estimator,
		countTextTokens: (text) => (text === '' ? 0 : countText(text) * family.factor),
		countImageTokens: (image) => computeImageTokens(image, family.imageRule),
	};
}
