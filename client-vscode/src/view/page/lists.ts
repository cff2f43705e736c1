/** The lists of the view: largest messages, files read, compactions. */

import { messagesText, tokensText } from '../../text/figures.ts';
import { t } from '../../text/language.ts';
import type { FromView } from '../messages.ts';
import type { CompactionRow, ViewModel } from '../model.ts';
import { button, element, table, timeText } from './elements.ts';

type Post = (message: FromView) => void;

/** Creates a button that opens a message; `what` names the message, `list` the list in which it is. */
function opener(list: string, messageId: string, what: string, post: Post): HTMLElement {
	const words = { text: t('Open'), label: t('Open {0} in full', what), key: `${list} ${messageId}` };
	return button(words, () => post({ type: 'open', messageId }));
}

/** Returns the list of the largest messages. */
export function largestList({ largest }: ViewModel, post: Post): HTMLElement {
	return table(
		t('Largest messages'),
		[t('Message'), t('Tokens'), ''],
		largest.map(({ messageId, what, tokens, text }, index) => [
			element('span', {}, element('strong', {}, what), ' ', element('span', { class: 'quiet' }, text)),
			tokensText(tokens),
			opener('largest', messageId, t('{0}, number {1} of the largest', what, index + 1), post),
		]),
	);
}

/** Returns the list of the files that the agent read; stale ones are marked. */
export function fileList({ files }: ViewModel, post: Post): HTMLElement {
	if (files.length === 0) return element('p', { class: 'quiet' }, t('No file is in the context.'));
	return table(
		t('Files read'),
		[t('File'), t('Reads'), ''],
		files.map(({ path, reads, messageId, stale }) => [
			element(
				'span',
				{},
				path,
				...(stale ? [' ', element('span', { class: 'stale' }, t('changed since'))] : []),
			),
			String(reads),
			opener('file', messageId, t('the newest read of {0}', path), post),
		]),
	);
}

function removedList({ removed, compactionId, number }: CompactionRow, post: Post): HTMLElement {
	const rows = removed.map(({ messageId, what, change, tokens }, index) => [
		`${what} · ${change}`,
		tokens === null ? '' : tokensText(tokens),
		opener(
			`removed ${compactionId}`,
			messageId,
			t('{0}, number {1} of compaction {2}', what, index + 1, number),
			post,
		),
	]);
	const list = table(t('What the compaction changed'), [t('Message'), t('Tokens saved'), ''], rows);
	return element(
		'details',
		{ class: 'removed' },
		element('summary', { 'data-key': `messages ${compactionId}` }, messagesText(removed.length)),
		list,
	);
}

function actionsOf({ number, compactionId, undone, canUndo }: CompactionRow, post: Post): HTMLElement[] {
	if (undone) return [element('span', { class: 'quiet' }, t('undone'))];
	const changes = button(
		{
			text: t('Show Changes'),
			label: t('Show what compaction {0} changed', number),
			key: `changes ${compactionId}`,
		},
		() => post({ type: 'changes', compactionId }),
	);
	const undo = button(
		{
			text: t('Undo'),
			label: t('Undo compaction {0}', number),
			key: `undo ${compactionId}`,
		},
		() => post({ type: 'undo', compactionId }),
	);
	return [changes, ...(canUndo ? [undo] : [])];
}

function compactionItem(row: CompactionRow, post: Post): HTMLElement {
	const { at, number, stages, what, compactionId, removed } = row;
	const about = [t('number {0}', number), timeText(at), ...(stages === '' ? [] : [stages])].join(' · ');
	return element(
		'li',
		{ 'data-item': compactionId },
		element('div', { class: 'row' }, element('strong', {}, what), ` ${about} `, ...actionsOf(row, post)),
		...(removed.length > 0 ? [removedList(row, post)] : []),
	);
}

/** Returns the list of compactions, newest first. */
export function compactionList({ compactions }: ViewModel, post: Post): HTMLElement {
	if (compactions.length === 0)
		return element('p', { class: 'quiet' }, t('The session has not been compacted.'));
	return element('ul', { class: 'compactions' }, ...compactions.map((row) => compactionItem(row, post)));
}
