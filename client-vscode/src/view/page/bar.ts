/** Draws stacked bars, and the legend of the bar by category. */

import { formatPercent, formatTokens } from '../../../../server/core/figures.ts';
import type { CategoryShare } from '../../text/categories.ts';
import { t } from '../../text/language.ts';
import { createHtml, createSvg, createTable } from './elements.ts';

const width = 1000;
const height = 20;
/** Maximum number of listed parts of a category. */
const maxParts = 6;

/** A segment of a bar. */
interface StackedBarSegment {
	/** CSS class that sets the colour. */
	className: string;
	tokens: number;
	/** Text that is shown when the pointer is over the segment. */
	title: string;
}

/** Returns a bar whose full width is `total` tokens. `label` is for screen readers. */
export function createStackedBar(label: string, segments: readonly StackedBarSegment[], total: number): Node {
	const bar = createSvg('svg', {
		viewBox: `0 0 ${width} ${height}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': label,
		class: 'bar',
	});
	let x = 0;
	for (const { className, tokens, title } of segments) {
		const segmentWidth = (width * tokens) / Math.max(1, total);
		const position = { x: String(x), y: '0', width: String(segmentWidth), height: String(height) };
		const tooltip = createSvg('title');
		tooltip.textContent = title;
		bar.append(createSvg('rect', { class: className, ...position }, tooltip));
		x += segmentWidth;
	}
	return bar as unknown as Node;
}

/** Returns the bar of the window by category; at its end, free tokens are drawn empty and reserved tokens pale. */
export function createCategoryBar(categories: readonly CategoryShare[]): Node {
	const label = categories
		.map(
			({ name, share, tokens }) =>
				`${name} ${share === undefined ? formatTokens(tokens) : formatPercent(share)}`,
		)
		.join(', ');
	const segments = categories.map(({ kind, tokens, name }) => ({
		className: `category-${kind}`,
		tokens,
		title: `${name}: ${formatTokens(tokens)}`,
	}));
	const total = categories.reduce((sum, { tokens }) => sum + tokens, 0);
	return createStackedBar(`${t('The window by category')}: ${label}`, segments, total);
}

function createPartList({ parts = [] }: CategoryShare): HTMLElement[] {
	if (parts.length < 2) return [];
	const partTexts = parts.slice(0, maxParts).map(({ name, tokens }) => `${name} ${formatTokens(tokens)}`);
	const omitted = parts.length - maxParts;
	const text = [...partTexts, ...(omitted > 0 ? [t('{0} more', omitted)] : [])].join(' · ');
	return [createHtml('div', { class: 'quiet parts' }, text)];
}

/** Returns the table of the categories with their colours. */
export function createLegend(categories: readonly CategoryShare[]): HTMLElement {
	const table = createTable(
		t('The window by category'),
		[t('Category'), t('Tokens'), t('Share')],
		categories.map((category) => [
			createHtml(
				'div',
				{},
				createHtml('span', { class: `swatch category-${category.kind}`, 'aria-hidden': 'true' }),
				category.name,
				...createPartList(category),
			),
			formatTokens(category.tokens),
			category.share === undefined ? '' : formatPercent(category.share),
		]),
	);
	table.classList.add('legend');
	return table;
}
