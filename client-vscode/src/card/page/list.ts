/** Lists messages. Only rows near the visible part exist, so that any number of messages scrolls smoothly. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { createHtml } from '../../view/page/elements.ts';
import type { CardRow } from '../model.ts';
import { createSwatch, formatRowKind } from './filters.ts';

/** Number of rows that exist above and below the visible part. */
const overscanRows = 12;

interface Listeners {
	onOpen(messageId: string): void;
	/** Called when the keyboard's cursor has moved to a message's row. */
	onMove(messageId: string): void;
}

function createRowLabel({ number, name, firstWords, kind, savedTokens }: CardRow): string {
	return [
		...(number === null ? [] : [`#${number}`]),
		name,
		firstWords,
		formatRowKind(kind),
		...(savedTokens > 0 ? [t('{0} tokens saved', formatTokens(savedTokens))] : []),
	]
		.filter((text) => text !== '')
		.join(', ');
}

export class MessageList {
	readonly element = createHtml('div', {
		class: 'rows',
		role: 'listbox',
		tabindex: '0',
		'data-key': 'rows',
		'aria-label': t('Messages'),
	});
	readonly #listeners: Listeners;
	#rows: readonly CardRow[] = [];
	#activeIndex = 0;
	/** Height of a row in pixels, which depends on the font and the width of the page; 0 until it is measured. */
	#rowHeight = 0;

	constructor(listeners: Listeners) {
		this.#listeners = listeners;
		this.element.addEventListener('keydown', (event) => this.#onKeyDown(event));
		this.element.addEventListener('click', (event) => {
			const row = (event.target as Element).closest<HTMLElement>('[data-index]');
			if (!row) return;
			this.#activeIndex = Number(row.dataset.index);
			this.#open();
		});
	}

	/** Shows other rows. The cursor moves to the row of message `active`, or to the first row if there is none. */
	show(rows: readonly CardRow[], active: string | null): void {
		this.#rows = rows;
		this.#activeIndex = Math.max(
			0,
			rows.findIndex(({ messageId }) => messageId === active),
		);
		this.draw();
	}

	/** Measures and draws the rows again; for calls after the size of the page changed. */
	redraw(): void {
		this.#rowHeight = 0;
		this.draw();
	}

	/** Draws the rows that are visible now. */
	draw(): void {
		this.#rowHeight ||= this.#measureRowHeight();
		const height = this.#rowHeight;
		this.element.style.height = `${this.#rows.length * height}px`;
		const { top } = this.element.getBoundingClientRect();
		const first = Math.max(0, Math.floor(-top / height) - overscanRows);
		const end = Math.min(this.#rows.length, Math.ceil((innerHeight - top) / height) + overscanRows);
		const visibleRows: HTMLElement[] = [];
		for (let index = first; index < end; index++) visibleRows.push(this.#createRow(index, height));
		this.element.replaceChildren(...visibleRows);
		const hasActive = this.#activeIndex >= first && this.#activeIndex < end;
		if (hasActive) this.element.setAttribute('aria-activedescendant', `row-${this.#activeIndex}`);
		else this.element.removeAttribute('aria-activedescendant');
	}

	#measureRowHeight(): number {
		const probe = createHtml('div', { class: 'row' });
		this.element.append(probe);
		const { height } = probe.getBoundingClientRect();
		probe.remove();
		return Math.max(1, height);
	}

	#createRow(index: number, height: number): HTMLElement {
		const row = this.#rows[index] as CardRow;
		const { number, name, firstWords, kind, savedTokens } = row;
		const element = createHtml(
			'div',
			{
				class: index === this.#activeIndex ? 'row active' : 'row',
				id: `row-${index}`,
				role: 'option',
				'data-index': String(index),
				'aria-selected': String(index === this.#activeIndex),
				'aria-setsize': String(this.#rows.length),
				'aria-posinset': String(index + 1),
				'aria-label': createRowLabel(row),
			},
			createHtml('span', { class: 'number' }, number === null ? '' : `#${number}`),
			createHtml('span', { class: 'kind' }, createSwatch(kind), createHtml('span', {}, formatRowKind(kind))),
			createHtml(
				'span',
				{ class: 'what' },
				createHtml('strong', {}, name),
				' ',
				createHtml('span', { class: 'quiet' }, firstWords),
			),
			createHtml('span', { class: 'saved' }, savedTokens > 0 ? `−${formatTokens(savedTokens)}` : ''),
		);
		element.title = `${name} ${firstWords}`;
		element.style.top = `${index * height}px`;
		return element;
	}

	#open(): void {
		const row = this.#rows[this.#activeIndex];
		if (!row) return;
		this.#listeners.onMove(row.messageId);
		this.draw();
		this.#listeners.onOpen(row.messageId);
	}

	#onKeyDown(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor(innerHeight / this.#rowHeight) - 1);
		const moves: Readonly<Record<string, number>> = {
			ArrowDown: this.#activeIndex + 1,
			ArrowUp: this.#activeIndex - 1,
			PageDown: this.#activeIndex + page,
			PageUp: this.#activeIndex - page,
			Home: 0,
			End: this.#rows.length - 1,
		};
		const next = moves[event.key];
		if (event.key === 'Enter') this.#open();
		else if (next !== undefined) this.#move(next);
		else return;
		event.preventDefault();
	}

	#move(next: number): void {
		this.#activeIndex = Math.min(this.#rows.length - 1, Math.max(0, next));
		const row = this.#rows[this.#activeIndex];
		if (!row) return;
		const height = this.#rowHeight;
		const top = this.element.getBoundingClientRect().top + this.#activeIndex * height;
		const header = document.querySelector('.filters')?.getBoundingClientRect().height ?? 0;
		if (top < header) scrollBy(0, top - header);
		else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight);
		this.draw();
		this.#listeners.onMove(row.messageId);
	}
}
