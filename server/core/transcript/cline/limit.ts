/** Computes where Cline and the extensions derived from it compact. All figures are tokens. */

import { createLimit, findAssumedWindow, type LimitRule } from '../reading/limit.ts';

/** Tokens that Cline keeps free in common windows; in any other window a fifth, at most 40,000. */
const clineReserves: Readonly<Record<number, number>> = { 64000: 27_000, 128000: 30_000, 200000: 40_000 };

/** The limit of a Cline task: the window minus 27,000 to 40,000. */
export const clineLimit: LimitRule = (evidence) => {
	const supposed = findAssumedWindow(evidence);
	const { window } = supposed;
	const reserve = clineReserves[window] ?? Math.min(40_000, window / 5);
	return createLimit(supposed, window - reserve);
};

/** Share of the window that Roo Code keeps free in addition to the answer. */
const rooBufferShare = 0.1;
/** Maximum share of the window that Roo Code reserves for the answer. */
const maxRooAnswerShare = 0.2;

/**
 * The limit of a Roo Code task: nine tenths of the window minus the answer, which has 8,192 tokens, but at most a fifth
 * of the window.
 */
export const rooLimit: LimitRule = (evidence) => {
	const supposed = findAssumedWindow(evidence);
	const { window } = supposed;
	return createLimit(supposed, window * (1 - rooBufferShare) - Math.min(window * maxRooAnswerShare, 8_192));
};
