/** Draws the bars of the window before and after a compaction. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { createStackedBar } from '../../view/page/bar.ts';
import { createHtml } from '../../view/page/elements.ts';
import type { BarPart, CardModel } from '../model.ts';
import { formatRowKind } from './filters.ts';

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

/** Returns a bar with its name. The bar's full width is `total` tokens. */
function createNamedBar(name: string, parts: readonly BarPart[], total: number): HTMLElement {
	const segments = parts.map(({ kind, tokens }) => ({
		className: `part-${kind}`,
		tokens,
		title: `${getPartName(kind)} ${formatTokens(tokens)}`,
	}));
	const label = `${name}: ${segments.map(({ title }) => title).join(', ')}`;
	return createHtml(
		'div',
		{ class: 'change' },
		createHtml('span', { 'aria-hidden': 'true' }, name),
		createStackedBar(label, segments, total),
	);
}

/** Returns the two bars, scaled to the window's limit, or to the used tokens if they exceed it. */
export function createChangeBars({ before, after, limit }: CardModel['bars']): HTMLElement {
	const usedTokens = before.reduce((sum, { tokens }) => sum + tokens, 0);
	const total = Math.max(limit, usedTokens);
	return createHtml(
		'div',
		{ class: 'bars' },
		createNamedBar(t('Before'), before, total),
		createNamedBar(t('After'), after, total),
	);
}
