/** Where Copilot CLI compacts by itself. All figures are tokens. */

import { type LimitRule, limitAt, supposedWindow } from '../reading/limit.ts';

/** The share of the prompt's limit at which a compaction begins in the background. */
const backgroundShare = 0.8;

/** The limit of a session of Copilot CLI: four fifths of the longest prompt that it states for its model. */
export const copilotLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	return limitAt(supposed, supposed.window * backgroundShare);
};
