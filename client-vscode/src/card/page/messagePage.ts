/** Renders one message in full. */

import { t } from '../../text/language.ts';
import { createButton, createHtml } from '../../view/page/elements.ts';
import type { CardRow, OpenedMessage } from '../model.ts';
import { createSwatch, formatRowKind } from './filters.ts';

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
	return createHtml('section', {}, createHtml('h2', {}, title), createHtml('pre', {}, text));
}

function createTextAfterSection({ textAfter }: OpenedMessage, kind: CardRow['kind']): HTMLElement[] {
	if (typeof textAfter === 'string') return [createTextSection(t('What the compaction leaves'), textAfter)];
	if (textAfter === undefined || kind === 'kept') return [];
	const text =
		kind === 'summarized' ? t('The summary replaces this message.') : t('Nothing of this message is left.');
	return [createHtml('p', {}, text)];
}

/** Returns the element that shows a message in full. */
export function createMessagePage(
	{ row, number, message }: MessagePageSource,
	actions: MessagePageActions,
): HTMLElement {
	const label = row?.number ?? number;
	const name = [...(label === undefined || label === null ? [] : [`#${label}`]), row?.name ?? ''].join(' ');
	const backButton = createButton(
		{ text: t('Back'), label: t('Back to the compaction'), key: 'back' },
		actions.closeMessage,
	);
	const editButton = createButton(
		{ text: t('Open in Editor'), label: t('Open in Editor'), key: 'edit' },
		actions.openInEditor,
	);
	const kind = row ? [createHtml('p', {}, createSwatch(row.kind), formatRowKind(row.kind))] : [];
	const texts =
		message === null
			? [createHtml('p', { class: 'quiet' }, t('Reading…'))]
			: [
					...createTextAfterSection(message, row?.kind ?? 'kept'),
					createTextSection(t('Original'), message.text),
					...(message.hasMore
						? [createHtml('p', {}, t('The message is longer: open it in the editor.'))]
						: []),
				];
	return createHtml(
		'article',
		{ class: 'message', 'aria-label': name.trim() },
		createHtml('p', { class: 'actions' }, backButton, editButton),
		createHtml('h1', {}, name.trim()),
		...kind,
		...texts,
	);
}
