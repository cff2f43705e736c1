/** The scale of the chart. */

import type { Chart } from './model.ts';

export interface Axis {
	/** Tokens at the top of the chart. */
	top: number;
	/** Tokens of the lines that are labelled, from 0 on. */
	ticks: number[];
	/** Whether the limit lies on the chart. */
	hasLimit: boolean;
}

/** Below this share of the limit the chart is drawn by what is used, since it would else be a line along its foot. */
const low = 0.25;

/** A step of 1, 2 or 5 times a power of ten that divides `top` into at most five parts. */
function stepFor(top: number): number {
	const raw = top / 5;
	const power = 10 ** Math.floor(Math.log10(raw));
	return ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
}

/** The scale for a chart: up to the limit, or beyond it where more was used. */
export function axisOf({ limit, points }: Pick<Chart, 'limit' | 'points'>): Axis {
	const highest = Math.max(1, ...points.map(({ tokens }) => tokens));
	const hasLimit = highest >= low * limit;
	const top = (hasLimit ? Math.max(limit, highest) : highest) * 1.04;
	const step = stepFor(top);
	const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
	return { top, ticks, hasLimit };
}
