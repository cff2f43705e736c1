/** The stacked bar of the window by category, with its legend. */

import type { CategoryShare } from '../../text/categories.ts';
import { percentText, tokensText } from '../../text/figures.ts';
import { drawing, element, table } from './elements.ts';

const width = 1000;
const height = 22;

function colourOf(name: string): string {
	return `category-${name.toLowerCase().replaceAll(' ', '-')}`;
}

/** The bar; what is free stays empty. */
export function stackedBar(categories: readonly CategoryShare[]): HTMLElement {
	const label = categories.map(({ name, share }) => `${name} ${percentText(share)}`).join(', ');
	const bar = drawing('svg', {
		viewBox: `0 0 ${width} ${height}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': `The window by category: ${label}`,
		class: 'bar',
	});
	bar.append(drawing('rect', { class: 'free', width: String(width), height: String(height) }));
	let used = 0;
	const reserve = categories.filter(({ name }) => name === 'Output Reserve');
	for (const { name, share } of categories.filter((one) => !reserve.includes(one))) {
		const x = Math.min(width, used * width);
		const wide = Math.min(width - x, share * width);
		bar.append(
			drawing('rect', { class: colourOf(name), x: String(x), width: String(wide), height: String(height) }),
		);
		used += share;
	}
	for (const { share } of reserve) {
		const wide = Math.min(width, share * width);
		bar.append(
			drawing('rect', {
				class: colourOf('Output Reserve'),
				x: String(width - wide),
				width: String(wide),
				height: String(height),
			}),
		);
	}
	return element('div', {}, bar as unknown as Node, legend(categories));
}

function legend(categories: readonly CategoryShare[]): HTMLElement {
	return table(
		'The window by category',
		['Category', 'Tokens', 'Of the window'],
		categories.map(({ name, tokens, share }) => [
			element(
				'span',
				{},
				element('span', { class: `swatch ${colourOf(name)}`, 'aria-hidden': 'true' }),
				name,
			),
			tokensText(tokens),
			percentText(share),
		]),
	);
}
