/**
 * Renders two histories as two texts that an editor can compare quickly, even if they are long. An editor compares
 * removed lines with the lines that replace them character by character, which takes many seconds for a conversation
 * and its summary. Therefore a divider line on both sides separates removed from added lines.
 */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { createExcerpt, type ExcerptSize, formatMessageBody, formatMessageHeading } from './historyText.ts';
import { t } from './language.ts';
import { type CallTarget, collectCallTargets } from './reads.ts';

/** Size of the excerpts of unchanged messages, of messages that were changed in place, and of removed messages. */
const excerptSizes: Readonly<Record<'same' | 'changed' | 'gone', ExcerptSize>> = {
	same: { maxLines: 6, maxLineUnits: 160 },
	changed: { maxLines: 8, maxLineUnits: 160 },
	gone: { maxLines: 2, maxLineUnits: 160 },
};

/** Prefix of removed lines, so that no removed line equals an unchanged line. */
const removedLinePrefix = '┆ ';

export interface HistoryComparison {
	before: string;
	after: string;
	/** Index of the first line that differs. */
	firstChangedLine: number;
}

function renderRemoved(message: ChatMessage, targets: ReadonlyMap<string, CallTarget>): string[] {
	const body = formatMessageBody(message)
		.split('\n')
		.filter((line) => line.trim() !== '')
		.join('\n');
	return [
		formatMessageHeading(message, targets),
		...createExcerpt(body, excerptSizes.gone).map((line) => `${removedLinePrefix}${line}`),
	];
}

/** Returns a new message in full: it has no id yet, so that the user cannot open it. */
function renderAdded(message: ChatMessage, targets: ReadonlyMap<string, CallTarget>): string[] {
	return [formatMessageHeading(message, targets), ...formatMessageBody(message).split('\n'), ''];
}

function renderDivider(removedCount: number): string[] {
	const text = t(
		'{0} messages on the left above this line, replaced by the text on the right below it',
		removedCount,
	);
	return [`═══ ${text} ═══`, ''];
}

function renderRemaining(
	message: ChatMessage,
	excerpt: ExcerptSize,
	targets: ReadonlyMap<string, CallTarget>,
): string[] {
	return [formatMessageHeading(message, targets), ...createExcerpt(formatMessageBody(message), excerpt), ''];
}

/** Returns the texts of both sides: with the messages that were removed, added, changed in place, and left unchanged. */
export function compareHistories(
	before: readonly ChatMessage[],
	after: readonly ChatMessage[],
): HistoryComparison {
	const targets = collectCallTargets([...before, ...after]);
	const indexes = new Map(before.map(({ id }, index) => [id, index]));
	const left: string[] = [];
	const right: string[] = [];
	let firstChange: number | null = null;
	let nextIndex = 0;
	let addedMessages: ChatMessage[] = [];

	/** Writes the removed and added messages before the next remaining message, which has index `end` on the left side. */
	function addChangesBefore(end: number): void {
		const removedMessages = before.slice(nextIndex, end);
		nextIndex = end;
		if (removedMessages.length + addedMessages.length === 0) return;
		firstChange ??= right.length;
		const isReplaced = removedMessages.length > 0 && addedMessages.length > 0;
		const divider = isReplaced ? renderDivider(removedMessages.length) : [];
		left.push(...removedMessages.flatMap((message) => renderRemoved(message, targets)), ...divider);
		right.push(...divider, ...addedMessages.flatMap((message) => renderAdded(message, targets)));
		addedMessages = [];
	}

	for (const message of after) {
		const index = message.id === undefined ? undefined : indexes.get(message.id);
		const original = index === undefined ? undefined : before[index];
		if (index === undefined || original === undefined || index < nextIndex) {
			addedMessages.push(message);
			continue;
		}
		addChangesBefore(index);
		nextIndex = index + 1;
		const isSame = formatMessageBody(original) === formatMessageBody(message);
		if (!isSame) firstChange ??= right.length;
		const excerpt = isSame ? excerptSizes.same : excerptSizes.changed;
		left.push(...renderRemaining(original, excerpt, targets));
		right.push(...renderRemaining(message, excerpt, targets));
	}
	addChangesBefore(before.length);
	return { before: left.join('\n'), after: right.join('\n'), firstChangedLine: firstChange ?? 0 };
}
