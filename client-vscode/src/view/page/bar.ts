/** The stacked bar of the window by category, with its legend. */

import type { CategoryShare } from '../../text/categories.ts';
import { percentText, tokensText } from '../../text/figures.ts';
import { drawing, element, table } from './elements.ts';

const width = 1000;
const height = 22;

function colourOf(name: string): string {
	return `category-${name.toLowerCase().replaceAll(' ', '-')}`;
}

/** The bar; what is free stays empty, what is kept free stands at its end. */
export function stackedBar(categories: readonly CategoryShare[]): HTMLElement {
	const label = categories.map((one) => `${one.name} ${amountOf(one)}`).join(', ');
	const bar = drawing('svg', {
		viewBox: `0 0 ${width} ${height}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': `The window by category: ${label}`,
		class: 'bar',
	});
	bar.append(drawing('rect', { class: 'free', width: String(width), height: String(height) }));
	const whole = categories.reduce((sum, { tokens }) => sum + tokens, 0);
	let x = 0;
	for (const { name, tokens } of categories) {
		const wide = (width * tokens) / Math.max(1, whole);
		if (name !== 'Free') {
			const place = { x: String(x), width: String(wide), height: String(height) };
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
