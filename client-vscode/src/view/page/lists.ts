/** The lists of the view: largest messages, files read, compactions. */

import { tokensText } from '../../text/figures.ts';
import type { FromView } from '../messages.ts';
import type { CompactionRow, ViewModel } from '../model.ts';
import { button, element, table } from './elements.ts';

type Tell = (message: FromView) => void;

function opener(messageId: string, what: string, tell: Tell): HTMLElement {
	return button('Open', `Open ${what} in full`, () => tell({ type: 'open', messageId }));
}

/** The messages that take the most. */
export function largestList({ largest }: ViewModel, tell: Tell): HTMLElement {
	return table(
		'Largest messages',
		['Message', 'Tokens', ''],
		largest.map(({ messageId, what, tokens, text }) => [
			element('span', {}, element('strong', {}, what), ' ', element('span', { class: 'quiet' }, text)),
			tokensText(tokens),
			opener(messageId, `this ${what} message`, tell),
		]),
	);
}

/** The files that the agent read; stale ones say so. */
export function fileList({ files }: ViewModel, tell: Tell): HTMLElement {
	if (files.length === 0) return element('p', { class: 'quiet' }, 'No file is in the context.');
	return table(
		'Files read',
		['File', 'Reads', ''],
		files.map(({ path, reads, messageId, stale }) => [
			element(
				'span',
				{},
				path,
				...(stale ? [' ', element('span', { class: 'stale' }, 'changed since')] : []),
			),
			String(reads),
			opener(messageId, `the newest read of ${path}`, tell),
		]),
	);
}

function removedList({ removed }: CompactionRow, tell: Tell): HTMLElement {
	const count = removed.length === 1 ? '1 message' : `${removed.length} messages`;
	const rows = removed.map(({ messageId, what, change, tokens }) => [
		`${what} ${change}`,
		tokens === null ? '' : tokensText(tokens),
		opener(messageId, `this ${what} message`, tell),
	]);
	const list = table('What the compaction changed', ['Message', 'Tokens saved', ''], rows);
	return element('details', { class: 'removed' }, element('summary', {}, count), list);
}

function compactionItem(row: CompactionRow, readOnly: boolean, tell: Tell): HTMLElement {
	const when = new Date(row.at).toLocaleTimeString();
	const { compactionId } = row;
	const undo = button('Undo', `Undo the compaction of ${when}`, () => tell({ type: 'undo', compactionId }));
	const changes = button('Show Changes', `Show what the compaction of ${when} changed`, () =>
		tell({ type: 'changes', compactionId }),
	);
	const actions = row.undone
		? [element('span', { class: 'quiet' }, 'undone')]
		: [changes, ...(readOnly ? [] : [undo])];
	return element(
		'li',
		{ 'data-key': compactionId },
		element(
			'div',
			{ class: 'row' },
			element('strong', {}, row.saving),
			` ${when} · ${row.stages} `,
			...actions,
		),
		...(row.removed.length > 0 ? [removedList(row, tell)] : []),
	);
}

/** The compactions, newest first. */
export function compactionList({ compactions, readOnly }: ViewModel, tell: Tell): HTMLElement {
	if (compactions.length === 0)
		return element('p', { class: 'quiet' }, 'The session has not been compacted.');
	return element(
		'ul',
		{ class: 'compactions' },
		...compactions.map((row) => compactionItem(row, readOnly, tell)),
	);
}
