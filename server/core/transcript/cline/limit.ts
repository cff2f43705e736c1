/** Where Cline, and each extension made from it, compacts by itself. All figures are tokens. */

import { type LimitRule, limitAt, supposedWindow } from '../reading/limit.ts';

/** What Cline keeps free of the usual windows; of any other a fifth, but no more than 40,000. */
const kept: Readonly<Record<number, number>> = { 64000: 27_000, 128000: 30_000, 200000: 40_000 };

/** The limit of a task of Cline: the window less 27,000 to 40,000. */
export const clineLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const { window } = supposed;
	const reserve = kept[window] ?? Math.min(40_000, window / 5);
	return limitAt(supposed, window - reserve);
};

/** What Roo Code keeps free beside the answer. */
const rooBuffer = 0.1;
/** What it takes for the answer where the model states less or nothing. */
const rooAnswer = 0.2;

/** The limit of a task of Roo Code: nine tenths of the window, less what an answer may take (at most a fifth of it). */
export const rooLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow(evidence);
	const { window } = supposed;
	return limitAt(supposed, window * (1 - rooBuffer) - Math.min(window * rooAnswer, 8_192));
};
