/** Draws the stacked bar of the window by category, and its legend. */

import { formatPercent, formatTokens } from '../../../../server/core/figures.ts';
import type { CategoryShare } from '../../text/categories.ts';
import { t } from '../../text/language.ts';
import { htmlElement, svgElement, table } from './elements.ts';

const width = 1000;
const height = 22;
/** Maximum number of listed parts of a category. */
const maxParts = 6;

/** Returns the bar; at its end, free tokens are drawn empty and reserved tokens pale. */
export function createStackedBar(categories: readonly CategoryShare[]): Node {
	const label = categories
		.map(
			({ name, share, tokens }) =>
				`${name} ${share === undefined ? formatTokens(tokens) : formatPercent(share)}`,
		)
		.join(', ');
	const bar = svgElement('svg', {
		viewBox: `0 0 ${width} ${height}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': `${t('The window by category')}: ${label}`,
		class: 'bar',
	});
	const total = categories.reduce((sum, { tokens }) => sum + tokens, 0);
	let x = 0;
	for (const { kind, tokens, name } of categories) {
		const partWidth = (width * tokens) / Math.max(1, total);
		const position = { x: String(x), y: '0', width: String(partWidth), height: String(height) };
		const part = svgElement('rect', { class: `category-${kind}`, ...position });
		const title = svgElement('title');
		title.textContent = `${name}: ${formatTokens(tokens)}`;
		part.append(title);
		bar.append(part);
		x += partWidth;
	}
	return bar as unknown as Node;
}

function createPartList({ parts = [] }: CategoryShare): HTMLElement[] {
	if (parts.length < 2) return [];
	const partTexts = parts.slice(0, maxParts).map(({ name, tokens }) => `${name} ${formatTokens(tokens)}`);
	const omitted = parts.length - maxParts;
	const text = [...partTexts, ...(omitted > 0 ? [t('{0} more', omitted)] : [])].join(' · ');
	return [htmlElement('div', { class: 'quiet parts' }, text)];
}

/** Returns the table of the categories with their colours. */
export function createLegend(categories: readonly CategoryShare[]): HTMLElement {
	const created = table(
		t('The window by category'),
		[t('Category'), t('Tokens'), t('Share')],
		categories.map((category) => [
			htmlElement(
				'div',
				{},
				htmlElement('span', { class: `swatch category-${category.kind}`, 'aria-hidden': 'true' }),
				category.name,
				...createPartList(category),
			),
			formatTokens(category.tokens),
			category.share === undefined ? '' : formatPercent(category.share),
		]),
	);
	created.classList.add('legend');
	return created;
}
