/** Computes the scale of the chart. */

import type { Chart } from './model.ts';

export interface Axis {
	/** Tokens at the top of the chart. */
	topTokens: number;
	/** Tokens of the labelled lines, starting at 0. */
	tickTokens: number[];
	/** Whether the chart reaches up to the limit. */
	hasLimit: boolean;
}

/** Share of the limit below which the chart is scaled to the usage, which would otherwise be a flat line. */
const scaledToUsageShare = 0.25;

/** Returns a step of 1, 2 or 5 times a power of ten that divides `top` into at most five parts. */
function chooseStep(top: number): number {
	const minStep = top / 5;
	const power = 10 ** Math.floor(Math.log10(minStep));
	return ([1, 2, 5, 10].find((factor) => factor * power >= minStep) ?? 10) * power;
}

/** Returns the scale of a chart: up to the limit, or beyond it if more was used. */
export function createAxis({ limitTokens, points }: Pick<Chart, 'limitTokens' | 'points'>): Axis {
	const highest = Math.max(1, ...points.map(({ tokens }) => tokens));
	const hasLimit = highest >= scaledToUsageShare * limitTokens;
	const topTokens = (hasLimit ? Math.max(limitTokens, highest) : highest) * 1.04;
	const step = chooseStep(topTokens);
	const tickTokens = Array.from({ length: Math.floor(topTokens / step) + 1 }, (_, index) => index * step);
	return { topTokens, tickTokens, hasLimit };
}
