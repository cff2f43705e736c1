/** Lists messages. Only rows near the visible part exist, so that any number of messages scrolls smoothly. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { htmlElement } from '../../view/page/elements.ts';
import type { CardRow } from '../model.ts';
import { rowKindSwatch, rowKindText } from './filters.ts';

/** Number of rows that exist above and below the visible part. */
const spareRows = 12;

interface Listeners {
	open(messageId: string): void;
	/** Called when the keyboard's cursor has moved to the row of a message. */
	moved(messageId: string): void;
}

function labelOf({ number, name, words, kind, saved }: CardRow): string {
	return [
		...(number === null ? [] : [`#${number}`]),
		name,
		words,
		rowKindText(kind),
		...(saved > 0 ? [t('{0} tokens saved', formatTokens(saved))] : []),
	]
		.filter((text) => text !== '')
		.join(', ');
}

export class MessageList {
	readonly element = htmlElement('div', {
		class: 'rows',
		role: 'listbox',
		tabindex: '0',
		'data-key': 'rows',
		'aria-label': t('Messages'),
	});
	readonly #listeners: Listeners;
	#rows: readonly CardRow[] = [];
	#active = 0;
	/** Height of a row in pixels, which depends on the font and the width of the page; 0 until it is measured. */
	#height = 0;

	constructor(listeners: Listeners) {
		this.#listeners = listeners;
		this.element.addEventListener('keydown', (event) => this.#keyPressed(event));
		this.element.addEventListener('click', (event) => {
			const row = (event.target as Element).closest<HTMLElement>('[data-index]');
			if (!row) return;
			this.#active = Number(row.dataset.index);
			this.#open();
		});
	}

	/** Shows other rows. The cursor moves to the row of message `active`, or to the first row if there is none. */
	show(rows: readonly CardRow[], active: string | null): void {
		this.#rows = rows;
		this.#active = Math.max(
			0,
			rows.findIndex(({ messageId }) => messageId === active),
		);
		this.draw();
	}

	/** Measures and draws the rows again; for calls after the size of the page changed. */
	resized(): void {
		this.#height = 0;
		this.draw();
	}

	/** Draws the rows that are visible now. */
	draw(): void {
		this.#height ||= this.#measuredHeight();
		const height = this.#height;
		this.element.style.height = `${this.#rows.length * height}px`;
		const { top } = this.element.getBoundingClientRect();
		const first = Math.max(0, Math.floor(-top / height) - spareRows);
		const end = Math.min(this.#rows.length, Math.ceil((innerHeight - top) / height) + spareRows);
		const shown: HTMLElement[] = [];
		for (let index = first; index < end; index++) shown.push(this.#row(index, height));
		this.element.replaceChildren(...shown);
		const hasActive = this.#active >= first && this.#active < end;
		if (hasActive) this.element.setAttribute('aria-activedescendant', `row-${this.#active}`);
		else this.element.removeAttribute('aria-activedescendant');
	}

	#measuredHeight(): number {
		const probe = htmlElement('div', { class: 'row' });
		this.element.append(probe);
		const { height } = probe.getBoundingClientRect();
		probe.remove();
		return Math.max(1, height);
	}

	#row(index: number, height: number): HTMLElement {
		const row = this.#rows[index] as CardRow;
		const { number, name, words, kind, saved } = row;
		const created = htmlElement(
			'div',
			{
				class: index === this.#active ? 'row active' : 'row',
				id: `row-${index}`,
				role: 'option',
				'data-index': String(index),
				'aria-selected': String(index === this.#active),
				'aria-setsize': String(this.#rows.length),
				'aria-posinset': String(index + 1),
				'aria-label': labelOf(row),
			},
			htmlElement('span', { class: 'number' }, number === null ? '' : `#${number}`),
			htmlElement('span', { class: 'kind' }, rowKindSwatch(kind), htmlElement('span', {}, rowKindText(kind))),
			htmlElement(
				'span',
				{ class: 'what' },
				htmlElement('strong', {}, name),
				' ',
				htmlElement('span', { class: 'quiet' }, words),
			),
			htmlElement('span', { class: 'saved' }, saved > 0 ? `−${formatTokens(saved)}` : ''),
		);
		created.title = `${name} ${words}`;
		created.style.top = `${index * height}px`;
		return created;
	}

	#open(): void {
		const row = this.#rows[this.#active];
		if (!row) return;
		this.#listeners.moved(row.messageId);
		this.draw();
		this.#listeners.open(row.messageId);
	}

	#keyPressed(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor(innerHeight / this.#height) - 1);
		const moves: Readonly<Record<string, number>> = {
			ArrowDown: this.#active + 1,
			ArrowUp: this.#active - 1,
			PageDown: this.#active + page,
			PageUp: this.#active - page,
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
		this.#active = Math.min(this.#rows.length - 1, Math.max(0, next));
		const row = this.#rows[this.#active];
		if (!row) return;
		const height = this.#height;
		const top = this.element.getBoundingClientRect().top + this.#active * height;
		const header = document.querySelector('.filters')?.getBoundingClientRect().height ?? 0;
		if (top < header) scrollBy(0, top - header);
		else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight);
		this.draw();
		this.#listeners.moved(row.messageId);
	}
}
