/** The script of a card's page, which shows one compaction. */

import { setBundle, t } from '../../text/language.ts';
import { createButton, createHtml, formatTime } from '../../view/page/elements.ts';
import type { CardInput, CardModel, CardOutput, CardRow, OpenedMessage, RowKind } from '../model.ts';
import { createChangeBars } from './bars.ts';
import { createFilterButtons, type RowFilter } from './filters.ts';
import { MessageList } from './list.ts';
import { createMessagePage } from './messagePage.ts';
import { createSummarySection } from './summary.ts';

/** State of the page that survives while its tab is hidden. */
interface PageState {
	filter: RowFilter;
	scroll: number;
	/** Scroll position of the summary in pixels. */
	summaryScroll: number;
	/** Id of the message whose row has the keyboard's cursor. */
	active: string | null;
	/** Id of the message that is open in full. */
	openedMessageId: string | null;
}

declare function acquireVsCodeApi(): {
	postMessage(message: CardOutput): void;
	getState(): PageState | undefined;
	setState(state: PageState): void;
};

const host = acquireVsCodeApi();
const post = (message: CardOutput): void => host.postMessage(message);
const state: PageState = host.getState() ?? {
	filter: 'all',
	scroll: 0,
	summaryScroll: 0,
	active: null,
	openedMessageId: null,
};

function updateState(change: Partial<PageState>): void {
	Object.assign(state, change);
	host.setState(state);
}

function announce(text: string): void {
	const status = document.getElementById('status');
	if (status) status.textContent = text;
}

/** The page that renders a `CardModel`: shows the compaction with its messages, or one message in full. */
class CardPage {
	readonly #model: CardModel;
	readonly #view: HTMLElement;
	readonly #list: MessageList;
	readonly #filters: HTMLElement;
	/** The element of the summary that scrolls. */
	#summary: Element | null = null;
	/** The element with the compaction and its messages; hidden while a message is open. */
	readonly #overview: HTMLElement;
	/** The element that had the focus before a message was opened. */
	#focusBeforeOpen: Element | null = null;

	constructor(model: CardModel, view: HTMLElement) {
		this.#model = model;
		this.#view = view;
		this.#list = new MessageList({
			onOpen: (messageId) => this.open(messageId),
			onMove: (active) => updateState({ active }),
		});
		this.#filters = createHtml('div', { class: 'filters', role: 'group', 'aria-label': t('Filter') });
		this.#overview = createHtml('div', { class: 'overview' }, this.#createHeader(), this.#createBody());
		this.#view.replaceChildren(this.#overview);
		this.#applyFilter(state.filter);
		this.#restoreScroll();
		if (state.openedMessageId !== null) this.open(state.openedMessageId);
	}

	#createHeader(): HTMLElement {
		const { title, status, at, cost, notes, bars, actions } = this.#model;
		const statusText = at === undefined ? status : t('{0} at {1}', status, formatTime(at));
		const buttons = actions.map(({ command, text }, index) => {
			const actionButton = createButton({ text, label: text, key: `command ${command}` }, () =>
				post({ type: 'command', command }),
			);
			if (index === 0 && command !== 'compare') actionButton.classList.add('primary');
			return actionButton;
		});
		return createHtml(
			'header',
			{},
			createHtml('h1', {}, title),
			createHtml('p', { class: 'quiet' }, statusText),
			createChangeBars(bars),
			...(cost === '' ? [] : [createHtml('p', {}, cost)]),
			...notes.map((note) => createHtml('p', { class: 'note' }, note)),
			createHtml('p', { class: 'actions' }, ...buttons),
		);
	}

	#createBody(): HTMLElement {
		const messages = createHtml(
			'section',
			{ class: 'messages', 'aria-labelledby': 'messages' },
			createHtml('h2', { id: 'messages' }, t('Messages')),
			this.#filters,
			this.#list.element,
		);
		if (this.#model.summary.length === 0) return createHtml('div', {}, messages);
		const summary = createSummarySection(this.#model, (messageId) => this.open(messageId));
		this.#summary = summary.querySelector('.text');
		this.#summary?.addEventListener('scroll', () => {
			if (!this.#overview.hidden) updateState({ summaryScroll: this.#summary?.scrollTop ?? 0 });
		});
		return createHtml('div', { class: 'columns' }, summary, messages);
	}

	#applyFilter(filter: RowFilter): void {
		const { rows } = this.#model;
		updateState({ filter });
		const countByKind = new Map<RowKind, number>();
		for (const { kind } of rows) countByKind.set(kind, (countByKind.get(kind) ?? 0) + 1);
		const focusedKey = document.activeElement?.getAttribute('data-key');
		this.#filters.replaceChildren(
			...createFilterButtons(countByKind, rows.length, filter, (next) => this.#applyFilter(next)),
		);
		const sameFilter = [...this.#filters.children].find(
			(button) => button.getAttribute('data-key') === focusedKey,
		);
		if (focusedKey?.startsWith('filter ')) (sameFilter as HTMLElement | undefined)?.focus();
		this.#list.show(filter === 'all' ? rows : rows.filter(({ kind }) => kind === filter), state.active);
	}

	#findRow(messageId: string): CardRow | undefined {
		return this.#model.rows.find((row) => row.messageId === messageId);
	}

	/** Shows a message in full instead of the overview, and requests its text. */
	open(messageId: string): void {
		if (!this.#overview.hidden) {
			this.#focusBeforeOpen = document.activeElement;
			this.#overview.hidden = true;
		}
		updateState({ openedMessageId: messageId });
		this.#showMessage(messageId, null);
		post({ type: 'open', messageId });
	}

	/** Shows the text of the open message when the extension has sent it. */
	showOpened(message: OpenedMessage): void {
		if (state.openedMessageId === message.messageId) this.#showMessage(message.messageId, message);
	}

	#showMessage(messageId: string, message: OpenedMessage | null): void {
		const number = Object.entries(this.#model.referencedIds).find(([, id]) => id === messageId)?.[0];
		const subject = { messageId, row: this.#findRow(messageId), number, message };
		const page = createMessagePage(subject, {
			closeMessage: () => this.closeMessage(),
			openInEditor: () => post({ type: 'openInEditor', messageId }),
		});
		this.#view.replaceChildren(this.#overview, page);
		if (message === null) scrollTo(0, 0);
		page.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
	}

	/** Closes the open message, and restores the overview with its scroll position and focus. */
	closeMessage(): void {
		if (!this.#overview.hidden) return;
		this.#overview.hidden = false;
		this.#view.replaceChildren(this.#overview);
		updateState({ openedMessageId: null });
		this.#restoreScroll();
		this.#list.draw();
		const opener = this.#focusBeforeOpen?.isConnected
			? (this.#focusBeforeOpen as HTMLElement)
			: this.#list.element;
		opener.focus({ preventScroll: true });
	}

	#restoreScroll(): void {
		scrollTo(0, state.scroll);
		if (this.#summary) this.#summary.scrollTop = state.summaryScroll;
	}

	onResize(): void {
		if (!this.#overview.hidden) this.#list.redraw();
	}

	onScroll(): void {
		if (this.#overview.hidden) return;
		updateState({ scroll: scrollY });
		this.#list.draw();
	}
}

let page: CardPage | null = null;

window.addEventListener('scroll', () => page?.onScroll());
window.addEventListener('resize', () => page?.onResize());
window.addEventListener('keydown', (event) => {
	if (event.key === 'Escape') page?.closeMessage();
});
window.addEventListener('message', ({ data }: MessageEvent<CardInput>) => {
	const view = document.getElementById('view');
	if (data.type === 'translations') setBundle(data.translations);
	else if (data.type === 'opened') page?.showOpened(data.message);
	else if (view) {
		page = new CardPage(data.model, view);
		announce(`${data.model.title}. ${data.model.status}`);
	}
});

post({ type: 'ready' });
