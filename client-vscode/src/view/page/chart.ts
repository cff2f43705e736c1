/** Draws the chart of usage by turn, with a scale, and a cursor for pointer and keyboard. */

import { formatPercent, formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { type Axis, createAxis } from '../axis.ts';
import type { Chart } from '../model.ts';
import type { TurnPoint } from '../turns.ts';
import { type ButtonTexts, createButton, createHtml, createSvg, formatTime } from './elements.ts';
import { post } from './host.ts';

const width = 1000;
const height = 180;
/** Number of turns that PageUp and PageDown move the cursor. */
const pageTurns = 10;

/** Id of the message at the cursor, so that the cursor stays there when the chart is drawn again; null for the last turn. */
let chosenMessageId: string | null = null;

function describePoint({ at, tokens, messageId, turn, cost }: TurnPoint, limit: number): string {
	const when = messageId === null ? t('Now') : t('Turn {0}', turn);
	const share = formatPercent(tokens / Math.max(1, limit));
	const level = t('{0} tokens, {1} of the limit', formatTokens(tokens), share);
	return [when, level, ...(cost === '' ? [] : [cost]), formatTime(at)].join(' · ');
}

function createHorizontalLine(className: string, y: number): SVGElement {
	return createSvg('line', {
		class: className,
		x1: '0',
		x2: String(width),
		y1: String(y),
		y2: String(y),
	});
}

function createVerticalLine(className: string, position: number): SVGElement {
	const x = String(position * width);
	return createSvg('line', { class: className, x1: x, x2: x, y1: '0', y2: String(height) });
}

function createPlot(
	{ points, marks, drops, thresholdTokens, limitTokens }: Chart,
	{ topTokens, tickTokens, hasLimit }: Axis,
): SVGElement {
	const y = (tokens: number): number => height - (tokens / topTokens) * height;
	const line = points
		.map(
			({ tokens }, index) => `${((index / (points.length - 1)) * width).toFixed(1)},${y(tokens).toFixed(1)}`,
		)
		.join(' ');
	return createSvg(
		'svg',
		{
			viewBox: `0 0 ${width} ${height}`,
			preserveAspectRatio: 'none',
			'aria-hidden': 'true',
			class: 'chart',
		},
		...tickTokens.map((tokens) => createHorizontalLine('grid', y(tokens))),
		createSvg('polygon', { class: 'area', points: `0,${height} ${line} ${width},${height}` }),
		createSvg('polyline', { class: 'line', points: line }),
		...(hasLimit ? [createHorizontalLine('limit', y(limitTokens))] : []),
		...(thresholdTokens === null || thresholdTokens > topTokens
			? []
			: [createHorizontalLine('threshold', y(thresholdTokens))]),
		...marks.map(({ position, isUndone }) => createVerticalLine(isUndone ? 'mark undone' : 'mark', position)),
		...drops.map(({ position }) => createVerticalLine('mark drop', position)),
	);
}

function createScale({ topTokens, tickTokens }: Axis): HTMLElement {
	const labels = tickTokens.map((tokens) => {
		const label = createHtml('span', {}, formatTokens(tokens));
		label.style.bottom = `${(tokens / topTokens) * 100}%`;
		return label;
	});
	return createHtml('div', { class: 'scale', 'aria-hidden': 'true' }, ...labels);
}

/** Creates a button at a position on the chart, from 0 to 1. */
function createPositionedButton(texts: ButtonTexts, position: number, onClick: () => void): HTMLElement {
	const button = createButton(texts, onClick);
	button.title = texts.label;
	button.style.left = `${position * 100}%`;
	return button;
}

function createMarkButtons({ marks, drops }: Chart): HTMLElement {
	const markButtons = marks.map(({ compactionId, number, at, description, isUndone, position }) => {
		const name = t('Compaction {0}, {1}: {2}', number, formatTime(at), description);
		const label = isUndone ? t('{0}, undone', name) : t('{0}. Show what it changed', name);
		const texts = { text: '◆', label, key: `mark ${compactionId}` };
		const markButton = createPositionedButton(texts, position, () => {
			if (!isUndone) post({ type: 'changes', compactionId });
		});
		if (isUndone) markButton.setAttribute('aria-disabled', 'true');
		return markButton;
	});
	const dropButtons = drops.map(({ turn, messageId, description, position }) => {
		const label = t('Turn {0}: {1}. Open the message', turn, description);
		const texts = { text: '▼', label, key: `drop ${messageId}` };
		return createPositionedButton(texts, position, () => post({ type: 'open', messageId }));
	});
	return createHtml('div', { class: 'marks' }, ...markButtons, ...dropButtons);
}

/** Returns an entry of the legend: a line or a sign, and its meaning. */
function createLegendEntry(sample: string | Node, text: string): HTMLElement {
	return createHtml('span', { class: 'key' }, sample, ' ', text);
}

function createLineSample(className: string): HTMLElement {
	return createHtml('span', { class: `sample ${className}`, 'aria-hidden': 'true' });
}

function createChartLegend(
	{ marks, drops, thresholdTokens, limitTokens }: Chart,
	{ hasLimit, topTokens }: Axis,
): HTMLElement {
	const isThresholdShown = thresholdTokens !== null && thresholdTokens <= topTokens;
	return createHtml(
		'p',
		{ class: 'quiet keys' },
		...(hasLimit
			? [createLegendEntry(createLineSample('solid'), t('limit, {0}', formatTokens(limitTokens)))]
			: []),
		...(isThresholdShown
			? [
					createLegendEntry(
						createLineSample('dashed'),
						t('compaction due at {0}', formatTokens(thresholdTokens)),
					),
				]
			: []),
		...(marks.length > 0 ? [createLegendEntry('◆', t('compaction'))] : []),
		...(drops.length > 0 ? [createLegendEntry('▼', t('less reported without a compaction'))] : []),
	);
}

/** Index of the turn to which each key moves the cursor; may be out of range. */
const keyMoves: Readonly<Record<string, (index: number) => number>> = {
	ArrowLeft: (index) => index - 1,
	ArrowDown: (index) => index - 1,
	ArrowRight: (index) => index + 1,
	ArrowUp: (index) => index + 1,
	PageUp: (index) => index + pageTurns,
	PageDown: (index) => index - pageTurns,
	Home: () => 0,
	End: () => Number.POSITIVE_INFINITY,
};

/** The chart with its cursor, and a text about the turn under the pointer, or else the turn at the cursor. */
class ChartCanvas {
	readonly #chart: Chart;
	readonly #axis: Axis;
	readonly #cursor = createHtml('div', { class: 'cursor', 'aria-hidden': 'true' });
	readonly #text = createHtml('span', {});
	readonly #open: HTMLElement;
	readonly canvas: HTMLElement;
	readonly readout: HTMLElement;

	constructor(chart: Chart, axis: Axis) {
		this.#chart = chart;
		this.#axis = axis;
		const label = t('Open the message of this turn');
		this.#open = createButton({ text: t('Open Message'), label, key: 'turn' }, () => {
			const messageId = chart.points[this.#cursorIndex]?.messageId;
			if (messageId) post({ type: 'open', messageId });
		});
		this.canvas = createHtml(
			'div',
			{
				class: 'canvas',
				tabindex: '0',
				role: 'slider',
				'data-key': 'chart',
				'aria-label': t('Usage by turn'),
				'aria-valuemin': '1',
				'aria-valuemax': String(chart.points.length),
			},
			createPlot(chart, axis) as unknown as Node,
			this.#cursor,
		);
		this.readout = createHtml('p', { class: 'readout' }, this.#text, ' ', this.#open);
		this.#addListeners();
		this.#show(this.#cursorIndex);
	}

	get #lastIndex(): number {
		return this.#chart.points.length - 1;
	}

	/** Index of the turn at the cursor. */
	get #cursorIndex(): number {
		const index =
			chosenMessageId === null
				? -1
				: this.#chart.points.findIndex(({ messageId }) => messageId === chosenMessageId);
		return index < 0 ? this.#lastIndex : index;
	}

	#addListeners(): void {
		const { canvas } = this;
		canvas.addEventListener('keydown', (event) => {
			const move = keyMoves[event.key];
			if (move) this.#choose(move(this.#cursorIndex));
			else if (event.key === 'Enter') this.#open.click();
			else return;
			event.preventDefault();
		});
		canvas.addEventListener('pointermove', (event) => this.#show(this.#indexUnder(event)));
		canvas.addEventListener('pointerleave', () => this.#show(this.#cursorIndex));
		canvas.addEventListener('click', (event) => this.#choose(this.#indexUnder(event as PointerEvent)));
	}

	#choose(index: number): void {
		const nearestIndex = Math.min(this.#lastIndex, Math.max(0, index));
		chosenMessageId = this.#chart.points[nearestIndex]?.messageId ?? null;
		this.#show(nearestIndex);
	}

	#show(index: number): void {
		const { points, limitTokens } = this.#chart;
		const point = points[index];
		if (!point) return;
		const text = describePoint(point, limitTokens);
		this.#cursor.style.left = `${(index / this.#lastIndex) * 100}%`;
		this.#cursor.style.bottom = `${(point.tokens / this.#axis.topTokens) * 100}%`;
		this.#text.textContent = text;
		this.canvas.setAttribute('aria-valuenow', String(index + 1));
		this.canvas.setAttribute('aria-valuetext', text);
		this.#open.toggleAttribute('hidden', point.messageId === null);
	}

	#indexUnder(event: PointerEvent): number {
		const canvasBox = this.canvas.getBoundingClientRect();
		const share = (event.clientX - canvasBox.left) / canvasBox.width;
		return Math.min(this.#lastIndex, Math.max(0, Math.round(share * this.#lastIndex)));
	}
}

/** Returns the element with the chart; null if there are too few turns. */
export function createUsageChart(chart: Chart): HTMLElement | null {
	if (chart.points.length < 3) return null;
	const axis = createAxis(chart);
	const { canvas, readout } = new ChartCanvas(chart, axis);
	const marks = createMarkButtons(chart);
	return createHtml(
		'div',
		{},
		createHtml('div', { class: 'plot' }, createScale(axis), createHtml('div', {}, canvas, marks)),
		readout,
		createChartLegend(chart, axis),
	);
}
