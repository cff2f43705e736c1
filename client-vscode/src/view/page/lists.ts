/** Creates the lists of the view: files, commands, messages, compactions. */

import { formatTokens } from '../../../../server/core/figures.ts';
import { formatMessageCount } from '../../text/figures.ts';
import { t } from '../../text/language.ts';
import type { CostRow } from '../costRows.ts';
import type { MessageRow } from '../messageRows.ts';
import type { CompactionRow, DropMark, ViewModel } from '../model.ts';
import { createButton, createHtml, createTable, formatTime } from './elements.ts';
import { createEntryList, type ListEntry } from './entries.ts';
import { post } from './host.ts';

/** Number of files or commands that are visible before the user opens the rest of the list. */
const maxShownSources = 8;

/**
 * Creates a button that opens a message; `name` is for screen readers. `key` keeps the focus on the button when figures
 * change, so it contains no rank and no count.
 */
function createOpenButton(key: string, messageId: string, name: string): HTMLElement {
	const texts = { text: t('Open'), label: t('Open {0} in full', name), key: `open ${key}` };
	return createButton(texts, () => post({ type: 'open', messageId }));
}

/** Returns the entry of a message; `key` and `label` distinguish it from all others on the page. */
function toMessageEntry(
	row: MessageRow,
	{ key, label }: { key: string; label: string },
	{ canChange }: ViewModel,
): ListEntry {
	const { messageId, name, position, tokens, firstWords, isPinned } = row;
	const toggle = (): void => post({ type: 'pin', target: { messageIds: [messageId] }, pinned: !isPinned });
	return {
		key,
		name,
		about: position,
		facts: firstWords,
		tokens,
		pin: canChange ? { isPinned, name: label, toggle } : null,
		buttons: [createOpenButton(key, messageId, label)],
	};
}

/** Returns the list of the largest or of the pinned messages, with its title for screen readers. */
export function createMessageList(kind: 'largest' | 'pinned', title: string, model: ViewModel): HTMLElement {
	const entries = model[kind].map((row, index) => {
		const label =
			kind === 'largest'
				? t('{0}, number {1} of the largest', row.name, index + 1)
				: t('{0}, number {1} of the pinned', row.name, index + 1);
		return toMessageEntry(row, { key: `${kind} ${row.messageId}`, label }, model);
	});
	return createEntryList(title, entries);
}

function createFreeButton({ key, freeableTokens, freeSelection, name }: CostRow): HTMLElement {
	const tokens = formatTokens(freeableTokens);
	const label = t('Free {0} of {1}: remove what is outdated or repeated', tokens, name);
	return createButton({ text: t('Free {0}', tokens), label, key: `free ${key}` }, () =>
		post({ type: 'free', free: freeSelection }),
	);
}

function toSourceEntry(row: CostRow, largest: number, { canChange }: ViewModel): ListEntry {
	const { key, name, location, facts, tokens, freeableTokens, isStale, messageId, pinTarget, isPinned } = row;
	const fullName = location === '' ? name : `${name} (${location})`;
	const toggle = (): void => post({ type: 'pin', target: pinTarget, pinned: !isPinned });
	return {
		key,
		name,
		about: location,
		facts,
		...(isStale && { warning: t('changed since') }),
		tokens,
		share: { all: tokens / largest, freeable: freeableTokens / largest },
		pin: canChange ? { isPinned, name: fullName, toggle } : null,
		buttons: [
			...(freeableTokens > 0 ? [createFreeButton(row)] : []),
			createOpenButton(key, messageId, t('the newest result of {0}', fullName)),
		],
	};
}

/** Returns the list of files, or of repeated commands, by tokens. */
export function createSourceList(label: string, rows: readonly CostRow[], model: ViewModel): HTMLElement {
	if (rows.length === 0) return createHtml('p', { class: 'quiet' }, t('No file is in the context.'));
	const largest = Math.max(1, ...rows.map(({ tokens }) => tokens));
	const entries = rows.map((row) => toSourceEntry(row, largest, model));
	return createEntryList(label, entries, maxShownSources);
}

function createRemovedList({ removedRows, compactionId, number }: CompactionRow): HTMLElement {
	const rows = removedRows.map(({ messageId, name, change, tokens }, index) => [
		`${name} · ${change}`,
		tokens === null ? '' : formatTokens(tokens),
		createOpenButton(
			`removed ${compactionId} ${messageId}`,
			messageId,
			t('{0}, number {1} of compaction {2}', name, index + 1, number),
		),
	]);
	const list = createTable(t('What the compaction changed'), [t('Message'), t('Tokens saved'), ''], rows);
	return createHtml(
		'details',
		{ class: 'removed', 'data-open': `messages ${compactionId}` },
		createHtml('summary', { 'data-key': `messages ${compactionId}` }, formatMessageCount(removedRows.length)),
		list,
	);
}

function createCompactionButtons({ number, compactionId, isUndone, canUndo }: CompactionRow): HTMLElement[] {
	if (isUndone) return [createHtml('span', { class: 'quiet' }, t('undone'))];
	const changesButton = createButton(
		{
			text: t('Show Changes'),
			label: t('Show what compaction {0} changed', number),
			key: `changes ${compactionId}`,
		},
		() => post({ type: 'changes', compactionId }),
	);
	const undoButton = createButton(
		{
			text: t('Undo'),
			label: t('Undo compaction {0}', number),
			key: `undo ${compactionId}`,
		},
		() => post({ type: 'undo', compactionId }),
	);
	return [changesButton, ...(canUndo ? [undoButton] : [])];
}

function createCompactionItem(row: CompactionRow): HTMLElement {
	const { at, number, stages, description, compactionId, removedRows } = row;
	const about = [`#${number}`, formatTime(at), ...(stages === '' ? [] : [stages])].join(' · ');
	return createHtml(
		'li',
		{ 'data-item': compactionId },
		createHtml(
			'div',
			{ class: 'row' },
			createHtml('strong', {}, description),
			` ${about} `,
			...createCompactionButtons(row),
		),
		...(removedRows.length > 0 ? [createRemovedList(row)] : []),
	);
}

function createDropItem({ description, turn, at, messageId }: DropMark): HTMLElement {
	const about = [t('Turn {0}', turn), formatTime(at)].join(' · ');
	const opener = createOpenButton(`drop ${messageId}`, messageId, t('the message of turn {0}', turn));
	return createHtml(
		'li',
		{},
		createHtml('div', { class: 'row' }, createHtml('strong', {}, description), ` ${about} `, opener),
	);
}

/** Returns the list of compactions and of drops of the reported usage, newest first. */
export function createCompactionList({ compactions, chart }: ViewModel): HTMLElement {
	const items = [
		...compactions.map((row) => ({ at: row.at, item: createCompactionItem(row) })),
		...chart.drops.map((drop) => ({ at: drop.at, item: createDropItem(drop) })),
	].sort((a, b) => b.at - a.at);
	if (items.length === 0)
		return createHtml('p', { class: 'quiet' }, t('The session has not been compacted.'));
	return createHtml('ul', { class: 'compactions' }, ...items.map(({ item }) => item));
}
