/** Creates lists of messages, files and commands, each with a line of name and tokens, and a line of facts and buttons. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { createButton, createHtml, createSvg } from './elements.ts';

export interface ListEntry {
	/** A unique key on the page, stable while the page is drawn again. */
	key: string;
	name: string;
	/** Text in grey next to the name; may be empty. */
	about: string;
	/** Text in grey on the second line; may be empty. */
	facts: string;
	/** Text of a warning next to the facts; absent if there is none. */
	warning?: string;
	tokens: number | null;
	/** The entry's tokens and its freeable tokens, as shares of the largest entry's tokens, from 0 to 1. */
	share?: { all: number; freeable: number };
	pin: PinButton | null;
	buttons: HTMLElement[];
}

export interface PinButton {
	isPinned: boolean;
	/** Name of the pinned message or file, for screen readers. */
	name: string;
	toggle(): void;
}

/** The outline of a pin as an SVG path in a box of 16 by 16. */
const pinShape = 'M10 1.5 14.5 6 11.5 7 9.5 9 9 12.5 7 10.5 2 14.5 6 9.5 3.5 7.5 7 7 9 5Z';

function createPinButton(key: string, { isPinned, name, toggle }: PinButton): HTMLElement {
	const label = isPinned ? t('Unpin {0}', name) : t('Pin {0}', name);
	const button = createButton({ text: '', label, key: `pin ${key}` }, toggle);
	button.className = 'pin';
	button.title = isPinned
		? t('Pinned: compactions keep it. Click to unpin.')
		: t('Pin: compactions will keep it.');
	button.setAttribute('aria-pressed', String(isPinned));
	const picture = createSvg('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' });
	picture.append(createSvg('path', { d: pinShape }));
	button.append(picture as unknown as Node);
	return button;
}

function createShareBar({ all, freeable }: { all: number; freeable: number }): HTMLElement {
	const bar = createHtml('div', { class: 'cost', 'aria-hidden': 'true' });
	for (const [name, share] of [
		['freeable', freeable],
		['needed', all - freeable],
	] as const) {
		const segment = createHtml('div', { class: name });
		segment.style.width = `${share * 100}%`;
		bar.append(segment);
	}
	return bar;
}

function createEntryItem(entry: ListEntry): HTMLElement {
	const { key, name, about, facts, warning, tokens, share, pin, buttons } = entry;
	const names = createHtml('span', { class: 'names', title: about === '' ? name : `${name} · ${about}` });
	names.append(createHtml('strong', {}, name), ' ', createHtml('span', { class: 'quiet' }, about));
	const head = createHtml('div', { class: 'head' }, ...(pin ? [createPinButton(key, pin)] : []), names);
	if (tokens !== null) head.append(createHtml('span', { class: 'tokens' }, formatTokens(tokens)));
	const text = createHtml('span', { class: 'quiet facts' }, facts);
	if (warning !== undefined) text.append(' · ', createHtml('span', { class: 'stale' }, warning));
	return createHtml(
		'li',
		{ 'data-item': key },
		head,
		...(share ? [createShareBar(share)] : []),
		createHtml('div', { class: 'foot' }, text, createHtml('span', { class: 'buttons' }, ...buttons)),
	);
}

/** Returns a list of entries. Entries after the first `shownCount` are in a list that the user must open. */
export function createEntryList(
	label: string,
	entries: readonly ListEntry[],
	shownCount = entries.length,
): HTMLElement {
	const createList = (items: readonly ListEntry[], name: string): HTMLElement =>
		createHtml('ul', { class: 'entries', 'aria-label': name }, ...items.map(createEntryItem));
	const hiddenEntries = entries.slice(shownCount);
	if (hiddenEntries.length === 0) return createList(entries, label);
	const moreText = t('{0} more', hiddenEntries.length);
	return createHtml(
		'div',
		{},
		createList(entries.slice(0, shownCount), label),
		createHtml(
			'details',
			{ 'data-open': `more ${label}` },
			createHtml('summary', { 'data-key': `more ${label}` }, moreText),
			createList(hiddenEntries, `${label}: ${moreText}`),
		),
	);
}
