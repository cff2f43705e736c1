/** Renders a summary. Every element is created from plain text, so nothing in a summary can become markup. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { t } from '../../text/language.ts';
import { createHtml } from '../../view/page/elements.ts';
import type { CardModel } from '../model.ts';
import type { InlinePart, SummaryBlock } from '../summaryBlocks.ts';

/** Returns a text as a link to a message of the session. */
type LinkMessage = (number: number, text: string) => Node | string;

/** Returns a function that creates links to the messages that a summary refers to; they call `open` with the message's id. */
function createMessageLinker({ referencedIds }: CardModel, open: (messageId: string) => void): LinkMessage {
	return (number, text) => {
		const messageId = referencedIds[number];
		if (messageId === undefined) return text;
		const link = createHtml('a', { href: '#', 'aria-label': t('Open message {0}', text) }, text);
		link.addEventListener('click', (event) => {
			event.preventDefault();
			open(messageId);
		});
		return link;
	};
}

function createInline(part: InlinePart, linkMessage: LinkMessage): Node | string {
	switch (part.kind) {
		case 'text':
			return part.text;
		case 'code':
		case 'strong':
			return createHtml(part.kind, {}, part.text);
		case 'message':
			return linkMessage(part.number, part.text);
	}
}

function createBlock(block: SummaryBlock, linkMessage: LinkMessage): HTMLElement {
	if (block.kind === 'code') return createHtml('pre', {}, block.text);
	const parts = block.parts.map((part) => createInline(part, linkMessage));
	switch (block.kind) {
		case 'heading':
			return createHtml(`h${block.level + 1}`, {}, ...parts);
		case 'item': {
			const marker = /\d/.test(block.marker) ? block.marker : '•';
			return createHtml('p', { class: `item depth-${block.depth}` }, `${marker} `, ...parts);
		}
		case 'entry': {
			const label = `#${block.number} ${block.label}`.trim();
			return createHtml('p', { class: 'entry' }, linkMessage(block.number, label), ' ', ...parts);
		}
		case 'line':
			return createHtml('p', block.isInside ? { class: 'inside' } : {}, ...parts);
	}
}

/** Returns the element with the summary of a compaction; its links call `open` with the id of a message. */
export function createSummarySection(model: CardModel, open: (messageId: string) => void): HTMLElement {
	const linkMessage = createMessageLinker(model, open);
	const text = createHtml(
		'div',
		{ class: 'text', tabindex: '0', role: 'region', 'aria-labelledby': 'summary' },
		...model.summary.map((block) => createBlock(block, linkMessage)),
	);
	return createHtml(
		'section',
		{ class: 'summary' },
		createHtml('h2', { id: 'summary' }, t('Summary, {0} tokens', formatTokens(model.summaryTokens))),
		text,
	);
}
