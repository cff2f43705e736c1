/** The chart of usage by turn, with a scale, and a cursor for pointer and keyboard. */

import { percentText, tokensText } from '../../text/figures.ts';
import { t } from '../../text/language.ts';
import { type Axis, axisOf } from '../axis.ts';
import type { FromView } from '../messages.ts';
import type { Chart, ChartMark, TurnPoint } from '../model.ts';
import { button, drawing, element, timeText } from './elements.ts';

const width = 1000;
const height = 180;
/** Number of turns that a page key moves. */
const leap = 10;

/** The turn at the cursor, kept while the chart is drawn again; null for the last one. */
let chosen: string | null = null;

type Tell = (message: FromView) => void;

function pointText({ at, tokens, messageId }: TurnPoint, index: number, limit: number): string {
	const when = messageId === null ? t('Now') : t('Turn {0}', index + 1);
	const share = percentText(tokens / Math.max(1, limit));
	return `${when} · ${t('{0} tokens, {1} of the limit', tokensText(tokens), share)} · ${timeText(at)}`;
}

function lineAt(className: string, y: number): SVGElement {
	return drawing('line', { class: className, x1: '0', x2: String(width), y1: String(y), y2: String(y) });
}

function upright(className: string, place: number): SVGElement {
	const x = String(place * width);
	return drawing('line', { class: className, x1: x, x2: x, y1: '0', y2: String(height) });
}

function plot({ points, marks, threshold, limit }: Chart, { top, ticks, hasLimit }: Axis): SVGElement {
	const y = (tokens: number): number => height - (tokens / top) * height;
	const line = points
		.map(
			({ tokens }, index) => `${((index / (points.length - 1)) * width).toFixed(1)},${y(tokens).toFixed(1)}`,
		)
		.join(' ');
	return drawing(
		'svg',
		{
			viewBox: `0 0 ${width} ${height}`,
			preserveAspectRatio: 'none',
			'aria-hidden': 'true',
			class: 'chart',
		},
		...ticks.map((tokens) => lineAt('grid', y(tokens))),
		drawing('polygon', { class: 'area', points: `0,${height} ${line} ${width},${height}` }),
		drawing('polyline', { class: 'line', points: line }),
		...(hasLimit ? [lineAt('limit', y(limit))] : []),
		...(threshold === null || threshold > top ? [] : [lineAt('threshold', y(threshold))]),
		...marks.map(({ place, undone }) => upright(undone ? 'mark undone' : 'mark', place)),
	);
}

function scale({ top, ticks }: Axis): HTMLElement {
	const labels = ticks.map((tokens) => {
		const label = element('span', {}, tokensText(tokens));
		label.style.bottom = `${(tokens / top) * 100}%`;
		return label;
	});
	return element('div', { class: 'scale', 'aria-hidden': 'true' }, ...labels);
}

function markButtons(marks: readonly ChartMark[], tell: Tell): HTMLElement {
	const made = marks.map(({ compactionId, number, at, what, undone, place }) => {
		const name = t('Compaction {0}, {1}: {2}', number, timeText(at), what);
		const label = undone ? t('{0}, undone', name) : t('{0}. Show what it changed', name);
		const one = button({ text: '◆', label, key: `mark ${compactionId}` }, () => {
			if (!undone) tell({ type: 'changes', compactionId });
		});
		if (undone) one.setAttribute('aria-disabled', 'true');
		one.title = label;
		one.style.left = `${place * 100}%`;
		return one;
	});
	return element('div', { class: 'marks' }, ...made);
}

function keysText({ marks, threshold, limit }: Chart, { hasLimit, top }: Axis): string {
	return [
		...(hasLimit ? [t('solid: the limit, {0}', tokensText(limit))] : []),
		...(threshold === null || threshold > top
			? []
			: [t('dashed: compaction is due at {0}', tokensText(threshold))]),
		...(marks.length > 0 ? [t('vertical: compactions')] : []),
	].join(' · ');
}

/** Returns the chart; null if there are too few turns. */
export function usageChart(chart: Chart, tell: Tell): HTMLElement | null {
	const { points, limit, marks } = chart;
	if (points.length < 3) return null;
	const axis = axisOf(chart);
	const last = points.length - 1;
	const cursor = element('div', { class: 'cursor', 'aria-hidden': 'true' });
	const told = element('span', {});
	const open = button(
		{ text: t('Open Message'), label: t('Open the message of this turn'), key: 'turn' },
		() => {
			const messageId = points[indexNow()]?.messageId;
			if (messageId) tell({ type: 'open', messageId });
		},
	);
	const canvas = element(
		'div',
		{
			class: 'canvas',
			tabindex: '0',
			role: 'slider',
			'data-key': 'chart',
			'aria-label': t('Usage by turn'),
			'aria-valuemin': '1',
			'aria-valuemax': String(points.length),
		},
		plot(chart, axis) as unknown as Node,
		cursor,
	);

	function indexNow(): number {
		const index = chosen === null ? -1 : points.findIndex(({ messageId }) => messageId === chosen);
		return index < 0 ? last : index;
	}

	function show(index: number): void {
		const point = points[index];
		if (!point) return;
		const text = pointText(point, index, limit);
		cursor.style.left = `${(index / last) * 100}%`;
		cursor.style.bottom = `${(point.tokens / axis.top) * 100}%`;
		told.textContent = text;
		canvas.setAttribute('aria-valuenow', String(index + 1));
		canvas.setAttribute('aria-valuetext', text);
		open.toggleAttribute('hidden', point.messageId === null);
	}

	function choose(index: number): void {
		const inside = Math.min(last, Math.max(0, index));
		chosen = points[inside]?.messageId ?? null;
		show(inside);
	}

	function indexUnder(event: PointerEvent): number {
		const { left, width: wide } = canvas.getBoundingClientRect();
		return Math.min(last, Math.max(0, Math.round(((event.clientX - left) / wide) * last)));
	}

	const moves: Readonly<Record<string, () => number>> = {
		ArrowLeft: () => indexNow() - 1,
		ArrowDown: () => indexNow() - 1,
		ArrowRight: () => indexNow() + 1,
		ArrowUp: () => indexNow() + 1,
		PageUp: () => indexNow() + leap,
		PageDown: () => indexNow() - leap,
		Home: () => 0,
		End: () => last,
	};
	canvas.addEventListener('keydown', (event) => {
		const move = moves[event.key];
		if (move) choose(move());
		else if (event.key === 'Enter') open.click();
		else return;
		event.preventDefault();
	});
	canvas.addEventListener('pointermove', (event) => show(indexUnder(event)));
	canvas.addEventListener('pointerleave', () => show(indexNow()));
	canvas.addEventListener('click', (event) => choose(indexUnder(event as PointerEvent)));
	show(indexNow());
	return element(
		'div',
		{},
		element('div', { class: 'plot' }, scale(axis), element('div', {}, canvas, markButtons(marks, tell))),
		element('p', { class: 'readout' }, told, ' ', open),
		element('p', { class: 'quiet' }, keysText(chart, axis)),
	);
}
