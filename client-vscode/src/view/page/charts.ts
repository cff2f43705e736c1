/** The chart of usage over the turns, and the stacked bar of the window by category. */

import type { CategoryShare } from '../../text/categories.ts';
import { percentText, tokensText } from '../../text/figures.ts';
import type { ViewModel } from '../model.ts';
import { drawing, element, table } from './elements.ts';

const width = 1000;
const height = 180;
const barHeight = 22;

type Points = ViewModel['points'];

/** Where a moment lies among the points: turns are spaced evenly, whatever time passed between them. */
function placeOf(at: number, points: Points): number {
	const after = points.findIndex((point) => point.at > at);
	const index = after < 0 ? points.length - 1 : Math.max(0, after - 0.5);
	return (index / Math.max(1, points.length - 1)) * width;
}

function thresholdLine(level: string): SVGElement {
	return drawing('line', { class: 'threshold', x1: '0', x2: String(width), y1: level, y2: level });
}

/** The chart; null where there are too few turns to draw. */
export function usageChart({ points, marks, threshold }: ViewModel): HTMLElement | null {
	if (points.length < 3) return null;
	const top = Math.max(1, ...points.map(({ ratio }) => ratio));
	const y = (ratio: number): number => height - (ratio / top) * height;
	const line = points
		.map(({ ratio }, index) => `${((index / (points.length - 1)) * width).toFixed(1)},${y(ratio).toFixed(1)}`)
		.join(' ');
	const last = points.at(-1)?.ratio ?? 0;
	const highest = Math.max(...points.map(({ ratio }) => ratio));
	const told = `Usage over ${points.length - 1} turns: highest ${percentText(highest)}, now ${percentText(last)}, ${marks.length} compactions`;
	const chart = drawing('svg', {
		viewBox: `0 -4 ${width} ${height + 8}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': told,
		class: 'chart',
	});
	chart.append(
		drawing('polygon', { class: 'area', points: `0,${height} ${line} ${width},${height}` }),
		drawing('polyline', { class: 'line', points: line }),
		...(threshold === null ? [] : [thresholdLine(String(y(threshold)))]),
		...marks.map(({ at, undone }) => {
			const x = String(placeOf(at, points));
			return drawing('line', {
				class: undone ? 'mark undone' : 'mark',
				x1: x,
				x2: x,
				y1: '0',
				y2: String(height),
			});
		}),
	);
	const words = [
		`${points.length - 1} turns`,
		`highest ${percentText(highest)}`,
		...(threshold === null ? [] : [`dashed: compaction is due at ${percentText(threshold)}`]),
		'upright: compactions',
	];
	const key = element('p', { class: 'quiet' }, words.join(' · '));
	return element('div', {}, chart as unknown as Node, key);
}

function colourOf(name: string): string {
	return `category-${name.toLowerCase().replaceAll(' ', '-')}`;
}

/** The bar; what is free stays empty, what is kept free stands at its end. */
export function stackedBar(categories: readonly CategoryShare[]): HTMLElement {
	const label = categories.map((one) => `${one.name} ${amountOf(one)}`).join(', ');
	const bar = drawing('svg', {
		viewBox: `0 0 ${width} ${barHeight}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': `The window by category: ${label}`,
		class: 'bar',
	});
	bar.append(drawing('rect', { class: 'free', width: String(width), height: String(barHeight) }));
	const whole = categories.reduce((sum, { tokens }) => sum + tokens, 0);
	let x = 0;
	for (const { name, tokens } of categories) {
		const wide = (width * tokens) / Math.max(1, whole);
		if (name !== 'Free') {
			const place = { x: String(x), width: String(wide), height: String(barHeight) };
			bar.append(drawing('rect', { class: colourOf(name), ...place }));
		}
		x += wide;
	}
	return element('div', {}, bar as unknown as Node, legend(categories));
}

function amountOf({ share, tokens }: CategoryShare): string {
	return share === undefined ? tokensText(tokens) : percentText(share);
}

function legend(categories: readonly CategoryShare[]): HTMLElement {
	return table(
		'The window by category',
		['Category', 'Tokens', 'Share'],
		categories.map(({ name, tokens, share }) => [
			element(
				'span',
				{},
				element('span', { class: `swatch ${colourOf(name)}`, 'aria-hidden': 'true' }),
				name,
			),
			tokensText(tokens),
			share === undefined ? '' : percentText(share),
		]),
	);
}
