/** Renders one message in full. */

import { t } from '../../text/language.ts';
import { button, htmlElement } from '../../view/page/elements.ts';
import type { CardRow, OpenedMessage } from '../model.ts';
import { createRowKindSwatch, formatRowKind } from './filters.ts';

interface MessagePageSource {
	messageId: string;
	/** The message's row; absent if the message was not visible before the compaction. */
	row?: CardRow | undefined;
	/** The number by which the summary refers to the message. */
	number?: string | undefined;
	/** The text of the message; null while it is loading. */
	message: OpenedMessage | null;
}

interface MessagePageActions {
	closeMessage(): void;
	openInEditor(): void;
}

function createTextSection(title: string, text: string): HTMLElement {
	return htmlElement('section', {}, htmlElement('h2', {}, title), htmlElement('pre', {}, text));
}

function createTextAfterSection({ textAfter }: OpenedMessage, kind: CardRow['kind']): HTMLElement[] {
	if (typeof textAfter === 'string') return [createTextSection(t('What the compaction leaves'), textAfter)];
	if (textAfter === undefined || kind === 'kept') return [];
	const text =
		kind === 'summarized' ? t('The summary replaces this message.') : t('Nothing of this message is left.');
	return [htmlElement('p', {}, text)];
}

/** Returns the element that shows a message in full. */
export function createMessagePage(
	{ row, number, message }: MessagePageSource,
	actions: MessagePageActions,
): HTMLElement {
	const label = row?.number ?? number;
	const name = [...(label === undefined || label === null ? [] : [`#${label}`]), row?.name ?? ''].join(' ');
	const back = button(
		{ text: t('Back'), label: t('Back to the compaction'), key: 'back' },
		actions.closeMessage,
	);
	const edit = button(
		{ text: t('Open in Editor'), label: t('Open in Editor'), key: 'edit' },
		actions.openInEditor,
	);
	const kind = row ? [htmlElement('p', {}, createRowKindSwatch(row.kind), formatRowKind(row.kind))] : [];
	const texts =
		message === null
			? [htmlElement('p', { class: 'quiet' }, t('Reading…'))]
			: [
					...createTextAfterSection(message, row?.kind ?? 'kept'),
					createTextSection(t('Original'), message.text),
					...(message.hasMore
						? [htmlElement('p', {}, t('The message is longer: open it in the editor.'))]
						: []),
				];
	return htmlElement(
		'article',
		{ class: 'message', 'aria-label': name.trim() },
		htmlElement('p', { class: 'actions' }, back, edit),
		htmlElement('h1', {}, name.trim()),
		...kind,
		...texts,
	);
}
