/** Renders a summary. Every element is created from plain text, so nothing in a summary can become markup. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { htmlElement } from '../../view/page/elements.ts';
import type { CardModel } from '../model.ts';
import type { InlinePart, SummaryBlock } from '../summaryBlocks.ts';

type OpenMessage = (messageId: string) => void;

/** Creates a link that opens a message in the card. */
function createMessageLink(text: string, messageId: string, open: OpenMessage): HTMLElement {
	const link = htmlElement('a', { href: '#', 'aria-label': t('Open message {0}', text) }, text);
	link.addEventListener('click', (event) => {
		event.preventDefault();
		open(messageId);
	});
	return link;
}

class SummaryRenderer {
	readonly #referenced: CardModel['referencedIds'];
	readonly #open: OpenMessage;

	constructor({ referencedIds }: CardModel, open: OpenMessage) {
		this.#referenced = referencedIds;
		this.#open = open;
	}

	#linkTo(number: number, text: string): Node | string {
		const messageId = this.#referenced[number];
		return messageId === undefined ? text : createMessageLink(text, messageId, this.#open);
	}

	#createInline(part: InlinePart): Node | string {
		switch (part.kind) {
			case 'text':
				return part.text;
			case 'code':
			case 'strong':
				return htmlElement(part.kind, {}, part.text);
			case 'message':
				return this.#linkTo(part.number, part.text);
		}
	}

	block(block: SummaryBlock): HTMLElement {
		if (block.kind === 'code') return htmlElement('pre', {}, block.text);
		const parts = block.parts.map((part) => this.#createInline(part));
		switch (block.kind) {
			case 'heading':
				return htmlElement(`h${block.level + 1}`, {}, ...parts);
			case 'item':
				return htmlElement('p', { class: `item depth-${block.depth}` }, `${bullet(block.marker)} `, ...parts);
			case 'entry': {
				const label = `#${block.number} ${block.label}`.trim();
				return htmlElement('p', { class: 'entry' }, this.#linkTo(block.number, label), ' ', ...parts);
			}
			case 'line':
				return htmlElement('p', block.isInside ? { class: 'inside' } : {}, ...parts);
		}
	}
}

function bullet(marker: string): string {
	return /\d/.test(marker) ? marker : '•';
}

/** Returns the element with the summary of a compaction; its links call `open` with the id of a message. */
export function createSummarySection(model: CardModel, open: OpenMessage): HTMLElement {
	const renderer = new SummaryRenderer(model, open);
	const text = htmlElement(
		'div',
		{ class: 'text', tabindex: '0', role: 'region', 'aria-labelledby': 'summary' },
		...model.summary.map((block) => renderer.block(block)),
	);
	return htmlElement(
		'section',
		{ class: 'summary' },
		htmlElement('h2', { id: 'summary' }, t('Summary, {0} tokens', formatTokens(model.summaryTokens))),
		text,
	);
}
