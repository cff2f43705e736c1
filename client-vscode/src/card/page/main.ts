/** The script of a card's page, which shows one compaction. */

import { setBundle, t } from '../../text/language.ts';
import { button, htmlElement, timeText } from '../../view/page/elements.ts';
import type { CardInput, CardOutput, OpenedMessage } from '../messages.ts';
import type { CardModel, CardRow, RowKind } from '../model.ts';
import { changeBars } from './bars.ts';
import { filterBar, type RowFilter } from './filters.ts';
import { MessageList } from './list.ts';
import { messagePage } from './messagePage.ts';
import { summarySection } from './summary.ts';

/** State of the page that survives while its tab is hidden. */
interface Remembered {
	filter: RowFilter;
	scroll: number;
	/** How far the summary is scrolled, in pixels. */
	summaryScroll: number;
	/** Id of the message whose row has the keyboard's cursor. */
	active: string | null;
	/** Id of the message that is open in full. */
	opened: string | null;
}

declare function acquireVsCodeApi(): {
	postMessage(message: CardOutput): void;
	getState(): Remembered | undefined;
	setState(state: Remembered): void;
};

const host = acquireVsCodeApi();
const post = (message: CardOutput): void => host.postMessage(message);
const remembered: Remembered = host.getState() ?? {
	filter: 'all',
	scroll: 0,
	summaryScroll: 0,
	active: null,
	opened: null,
};

function remember(change: Partial<Remembered>): void {
	Object.assign(remembered, change);
	host.setState(remembered);
}

function announce(text: string): void {
	const status = document.getElementById('status');
	if (status) status.textContent = text;
}

/** The page for one model: shows the compaction with its messages, or one message in full. */
class CardPage {
	readonly #model: CardModel;
	readonly #view: HTMLElement;
	readonly #list: MessageList;
	readonly #filters: HTMLElement;
	/** The part of the summary that scrolls. */
	#summary: Element | null = null;
	/** The element with the compaction and its messages; hidden while a message is open. */
	readonly #overview: HTMLElement;
	/** The element that had the focus before a message was opened. */
	#opener: Element | null = null;

	constructor(model: CardModel, view: HTMLElement) {
		this.#model = model;
		this.#view = view;
		this.#list = new MessageList({
			open: (messageId) => this.open(messageId),
			moved: (active) => remember({ active }),
		});
		this.#filters = htmlElement('div', { class: 'filters', role: 'group', 'aria-label': t('Filter') });
		this.#overview = htmlElement('div', { class: 'overview' }, this.#head(), this.#body());
		this.#view.replaceChildren(this.#overview);
		this.#filter(remembered.filter);
		this.#scrollBack();
		if (remembered.opened !== null) this.open(remembered.opened);
	}

	#head(): HTMLElement {
		const { title, about, at, cost, notes, bars, actions } = this.#model;
		const when = at === undefined ? about : t('{0} at {1}', about, timeText(at));
		const buttons = actions.map(({ command, text }, index) => {
			const one = button({ text, label: text, key: `command ${command}` }, () =>
				post({ type: 'command', command }),
			);
			if (index === 0 && command !== 'compare') one.classList.add('primary');
			return one;
		});
		return htmlElement(
			'header',
			{},
			htmlElement('h1', {}, title),
			htmlElement('p', { class: 'quiet' }, when),
			changeBars(bars),
			...(cost === '' ? [] : [htmlElement('p', {}, cost)]),
			...notes.map((note) => htmlElement('p', { class: 'note' }, note)),
			htmlElement('p', { class: 'actions' }, ...buttons),
		);
	}

	#body(): HTMLElement {
		const messages = htmlElement(
			'section',
			{ class: 'messages', 'aria-labelledby': 'messages' },
			htmlElement('h2', { id: 'messages' }, t('Messages')),
			this.#filters,
			this.#list.element,
		);
		if (this.#model.summary.length === 0) return htmlElement('div', {}, messages);
		const summary = summarySection(this.#model, (messageId) => this.open(messageId));
		this.#summary = summary.querySelector('.text');
		this.#summary?.addEventListener('scroll', () => {
			if (!this.#overview.hidden) remember({ summaryScroll: this.#summary?.scrollTop ?? 0 });
		});
		return htmlElement('div', { class: 'columns' }, summary, messages);
	}

	#filter(filter: RowFilter): void {
		const { rows } = this.#model;
		remember({ filter });
		const kinds = new Map<RowKind, number>();
		for (const { kind } of rows) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
		const focused = document.activeElement?.getAttribute('data-key');
		this.#filters.replaceChildren(...filterBar(kinds, rows.length, filter, (next) => this.#filter(next)));
		const again = [...this.#filters.children].find((one) => one.getAttribute('data-key') === focused);
		if (focused?.startsWith('filter ')) (again as HTMLElement | undefined)?.focus();
		this.#list.show(filter === 'all' ? rows : rows.filter(({ kind }) => kind === filter), remembered.active);
	}

	#rowOf(messageId: string): CardRow | undefined {
		return this.#model.rows.find((row) => row.messageId === messageId);
	}

	/** Shows a message in full instead of the overview, and requests its text. */
	open(messageId: string): void {
		if (!this.#overview.hidden) {
			this.#opener = document.activeElement;
			this.#overview.hidden = true;
		}
		remember({ opened: messageId });
		this.#showMessage(messageId, null);
		post({ type: 'open', messageId });
	}

	/** Shows the text of the open message, which the extension has sent. */
	opened(message: OpenedMessage): void {
		if (remembered.opened === message.messageId) this.#showMessage(message.messageId, message);
	}

	#showMessage(messageId: string, message: OpenedMessage | null): void {
		const number = Object.entries(this.#model.referenced).find(([, id]) => id === messageId)?.[0];
		const subject = { messageId, row: this.#rowOf(messageId), number, message };
		const page = messagePage(subject, {
			back: () => this.back(),
			openInEditor: () => post({ type: 'openInEditor', messageId }),
		});
		this.#view.replaceChildren(this.#overview, page);
		if (message === null) scrollTo(0, 0);
		page.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
	}

	/** Closes the open message, and restores the overview with its scroll position and focus. */
	back(): void {
		if (!this.#overview.hidden) return;
		this.#overview.hidden = false;
		this.#view.replaceChildren(this.#overview);
		remember({ opened: null });
		this.#scrollBack();
		this.#list.draw();
		const opener = this.#opener?.isConnected ? (this.#opener as HTMLElement) : this.#list.element;
		opener.focus({ preventScroll: true });
	}

	#scrollBack(): void {
		scrollTo(0, remembered.scroll);
		if (this.#summary) this.#summary.scrollTop = remembered.summaryScroll;
	}

	resized(): void {
		if (!this.#overview.hidden) this.#list.resized();
	}

	scrolled(): void {
		if (this.#overview.hidden) return;
		remember({ scroll: scrollY });
		this.#list.draw();
	}
}

let page: CardPage | null = null;

window.addEventListener('scroll', () => page?.scrolled());
window.addEventListener('resize', () => page?.resized());
window.addEventListener('keydown', (event) => {
	if (event.key === 'Escape') page?.back();
});
window.addEventListener('message', ({ data }: MessageEvent<CardInput>) => {
	const view = document.getElementById('view');
	if (data.type === 'translations') setBundle(data.translations);
	else if (data.type === 'opened') page?.opened(data.message);
	else if (view) {
		page = new CardPage(data.model, view);
		announce(`${data.model.title}. ${data.model.about}`);
	}
});

post({ type: 'ready' });
