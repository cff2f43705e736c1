/** Creates the buttons that choose which messages are listed. They are also the legend of the bars. */

import { t } from '../../text/language.ts';
import { createButton, createHtml } from '../../view/page/elements.ts';
import { type RowKind, rowKinds } from '../model.ts';

export type RowFilter = RowKind | 'all';

/** Returns the translated name of a kind of row. */
export function formatRowKind(kind: RowKind): string {
	switch (kind) {
		case 'kept':
			return t('kept');
		case 'shortened':
			return t('shortened');
		case 'summarized':
			return t('summarized');
		case 'cleared':
			return t('cleared');
	}
}

/** Returns a small colored square for a kind of row. */
export function createSwatch(kind: RowKind): HTMLElement {
	return createHtml('span', { class: `swatch part-${kind}`, 'aria-hidden': 'true' });
}

/** Returns a button for all messages and a button for each kind of row that occurs. */
export function createFilterButtons(
	counts: ReadonlyMap<RowKind, number>,
	total: number,
	selected: RowFilter,
	select: (filter: RowFilter) => void,
): HTMLElement[] {
	const filters: RowFilter[] = ['all', ...rowKinds.filter((kind) => counts.has(kind))];
	return filters.map((filter) => {
		const name = filter === 'all' ? t('all') : formatRowKind(filter);
		const count = filter === 'all' ? total : (counts.get(filter) ?? 0);
		const text = `${name} ${count}`;
		const filterButton = createButton({ text, label: t('Show {0}', text), key: `filter ${filter}` }, () =>
			select(filter),
		);
		filterButton.setAttribute('aria-pressed', String(filter === selected));
		if (filter !== 'all') filterButton.prepend(createSwatch(filter));
		return filterButton;
	});
}
