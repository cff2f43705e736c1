/** The points at which Cline and the extensions derived from it compact. All figures are tokens. */

import { assumedWindow, type LimitRule, limitAt } from '../reading/limit.ts';

/** Tokens that Cline keeps free of common windows; of any other window a fifth, at most 40,000. */
const reserves: Readonly<Record<number, number>> = { 64000: 27_000, 128000: 30_000, 200000: 40_000 };

/** The limit of a Cline task: the window minus 27,000 to 40,000. */
export const clineLimit: LimitRule = (evidence) => {
	const supposed = assumedWindow(evidence);
	const { window } = supposed;
	const reserve = reserves[window] ?? Math.min(40_000, window / 5);
	return limitAt(supposed, window - reserve);
};

/** Share of the window that Roo Code keeps free in addition to the answer. */
const rooBuffer = 0.1;
/** Share of the window that it reserves for the answer, at most. */
const rooAnswer = 0.2;

/**
 * The limit of a Roo Code task: nine tenths of the window minus the answer (8,192, at most a fifth of
 * it).
 */
export const rooLimit: LimitRule = (evidence) => {
	const supposed = assumedWindow(evidence);
	const { window } = supposed;
	return limitAt(supposed, window * (1 - rooBuffer) - Math.min(window * rooAnswer, 8_192));
};
