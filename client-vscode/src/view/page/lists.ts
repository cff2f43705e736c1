/** The lists of the view: largest messages, files read, compactions. */

import { messagesText, tokensText } from '../../text/figures.ts';
import { say } from '../../text/language.ts';
import type { FromView } from '../messages.ts';
import type { CompactionRow, ViewModel } from '../model.ts';
import { button, element, table, timeText } from './elements.ts';

type Tell = (message: FromView) => void;

/** A button that opens a message; `what` tells it from all others of the list that `key` begins with. */
function opener(list: string, messageId: string, what: string, tell: Tell): HTMLElement {
	const words = { text: say('Open'), label: say('Open {0} in full', what), key: `${list} ${messageId}` };
	return button(words, () => tell({ type: 'open', messageId }));
}

/** The messages that take the most. */
export function largestList({ largest }: ViewModel, tell: Tell): HTMLElement {
	return table(
		say('Largest messages'),
		[say('Message'), say('Tokens'), ''],
		largest.map(({ messageId, what, tokens, text }, index) => [
			element('span', {}, element('strong', {}, what), ' ', element('span', { class: 'quiet' }, text)),
			tokensText(tokens),
			opener('largest', messageId, say('{0}, number {1} of the largest', what, index + 1), tell),
		]),
	);
}

/** The files that the agent read; stale ones say so. */
export function fileList({ files }: ViewModel, tell: Tell): HTMLElement {
	if (files.length === 0) return element('p', { class: 'quiet' }, say('No file is in the context.'));
	return table(
		say('Files read'),
		[say('File'), say('Reads'), ''],
		files.map(({ path, reads, messageId, stale }) => [
			element(
				'span',
				{},
				path,
				...(stale ? [' ', element('span', { class: 'stale' }, say('changed since'))] : []),
			),
			String(reads),
			opener('file', messageId, say('the newest read of {0}', path), tell),
		]),
	);
}

function removedList({ removed, compactionId, number }: CompactionRow, tell: Tell): HTMLElement {
	const rows = removed.map(({ messageId, what, change, tokens }, index) => [
		`${what} · ${change}`,
		tokens === null ? '' : tokensText(tokens),
		opener(
			`removed ${compactionId}`,
			messageId,
			say('{0}, number {1} of compaction {2}', what, index + 1, number),
			tell,
		),
	]);
	const list = table(say('What the compaction changed'), [say('Message'), say('Tokens saved'), ''], rows);
	return element(
		'details',
		{ class: 'removed' },
		element('summary', { 'data-key': `messages ${compactionId}` }, messagesText(removed.length)),
		list,
	);
}

function actionsOf({ number, compactionId, undone, canUndo }: CompactionRow, tell: Tell): HTMLElement[] {
	if (undone) return [element('span', { class: 'quiet' }, say('undone'))];
	const changes = button(
		{
			text: say('Show Changes'),
			label: say('Show what compaction {0} changed', number),
			key: `changes ${compactionId}`,
		},
		() => tell({ type: 'changes', compactionId }),
	);
	const undo = button(
		{
			text: say('Undo'),
			label: say('Undo compaction {0}', number),
			key: `undo ${compactionId}`,
		},
		() => tell({ type: 'undo', compactionId }),
	);
	return [changes, ...(canUndo ? [undo] : [])];
}

function compactionItem(row: CompactionRow, tell: Tell): HTMLElement {
	const { at, number, stages, what, compactionId, removed } = row;
	const about = [say('number {0}', number), timeText(at), ...(stages === '' ? [] : [stages])].join(' · ');
	return element(
		'li',
		{ 'data-item': compactionId },
		element('div', { class: 'row' }, element('strong', {}, what), ` ${about} `, ...actionsOf(row, tell)),
		...(removed.length > 0 ? [removedList(row, tell)] : []),
	);
}

/** The compactions, newest first. */
export function compactionList({ compactions }: ViewModel, tell: Tell): HTMLElement {
	if (compactions.length === 0)
		return element('p', { class: 'quiet' }, say('The session has not been compacted.'));
	return element('ul', { class: 'compactions' }, ...compactions.map((row) => compactionItem(row, tell)));
}
