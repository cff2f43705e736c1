/** Draws the bars of the window before and after a compaction. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { htmlElement, svgElement } from '../../view/page/elements.ts';
import type { BarPart, CardModel } from '../model.ts';
import { formatRowKind } from './filters.ts';

const width = 1000;
const height = 14;

function getPartName(kind: BarPart['kind']): string {
	switch (kind) {
		case 'stays':
			return t('unchanged');
		case 'summary':
			return t('summary');
		case 'shortened':
			return t('saved by shortening');
		case 'summarized':
		case 'cleared':
			return formatRowKind(kind);
	}
}

/** Returns a bar whose full width is `total` tokens. */
function createBar(name: string, parts: readonly BarPart[], total: number): HTMLElement {
	const texts = parts.map(({ kind, tokens }) => `${getPartName(kind)} ${formatTokens(tokens)}`);
	const shape = svgElement('svg', {
		viewBox: `0 0 ${width} ${height}`,
		preserveAspectRatio: 'none',
		role: 'img',
		'aria-label': `${name}: ${texts.join(', ')}`,
		class: 'bar',
	});
	let x = 0;
	for (const [index, { kind, tokens }] of parts.entries()) {
		const partWidth = (width * tokens) / Math.max(1, total);
		const position = { x: String(x), y: '0', width: String(partWidth), height: String(height) };
		const title = svgElement('title');
		title.textContent = texts[index] ?? '';
		shape.append(svgElement('rect', { class: `part-${kind}`, ...position }, title));
		x += partWidth;
	}
	const label = htmlElement('span', { 'aria-hidden': 'true' }, name);
	return htmlElement('div', { class: 'change' }, label, shape as unknown as Node);
}

/** Returns the two bars, scaled to the window's limit, or to the used tokens if they exceed it. */
export function createChangeBars({ before, after, limit }: CardModel['bars']): HTMLElement {
	const usedTokens = before.reduce((sum, { tokens }) => sum + tokens, 0);
	const total = Math.max(limit, usedTokens);
	return htmlElement(
		'div',
		{ class: 'bars' },
		createBar(t('Before'), before, total),
		createBar(t('After'), after, total),
	);
}
