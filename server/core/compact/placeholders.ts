/** Creates texts that replace removed content. Each names a message id, for which `context/original` has the original. */

import type { IdentifiedMessage } from '../../protocol/conversation.ts';

/** Returns a message with the given shorter content, marked as truncated. */
export function shortenContent(
	message: IdentifiedMessage,
	content: IdentifiedMessage['content'],
): IdentifiedMessage {
	return { ...message, content, tokens: undefined, metadata: { ...message.metadata, truncated: true } };
}

/** Minimum length of a text that is replaced by a placeholder. UTF-16 units. */
export const minReplacedLength = 200;

/** Returns the placeholder of a pruned tool result, with the outcome of its call if given. */
export function createClearedNote(tokens: number, messageId: string, outcome = ''): string {
	return `[Tool result cleared: ${Math.round(tokens)} tokens, original ${messageId}${formatOutcome(outcome)}]`;
}

/** Returns the placeholder of a dropped image. */
export function createDroppedImageNote(messageId: string): string {
	return `[Image cleared; original ${messageId}]`;
}

/** Returns the placeholder of a file read that a later read covers. */
export function createCoveredNote(path: string, messageId: string): string {
	return `[File ${path} - refer to latest read below; original ${messageId}]`;
}

/** Returns the placeholder of a result that a later result repeats word for word. */
export function createRepeatedNote(messageId: string): string {
	return `[Same as a later result below; original ${messageId}]`;
}

/** Returns the placeholder of a read of a file that was changed and not read again. */
export function createChangedNote(path: string, messageId: string): string {
	return `[File ${path} - changed after this read; original ${messageId}]`;
}

/** Returns the placeholder of the output of a command that ran again. */
export function createRanAgainNote(messageId: string): string {
	return `[The same command ran again below; original ${messageId}]`;
}

/** Returns the placeholder of the removed middle of a message, with the outcome of a result's call if given. */
export function createCutNote(tokens: number, messageId: string, outcome = ''): string {
	const about = Math.max(1, Math.round(tokens));
	return `[… about ${about} tokens cut here; original ${messageId}${formatOutcome(outcome)} …]`;
}

function formatOutcome(outcome: string): string {
	return outcome === '' ? '' : `; ${outcome}`;
}

/** The marker that replaces removed exchanges. */
export const truncationMarker = '[Earlier conversation history was truncated to fit within context limits]';

/** Returns the ids of the summary and the marker that a compaction may create. */
export function createPlaceholderIds(compactionId: string): { summary: string; marker: string } {
	return { summary: `summary-${compactionId}`, marker: `truncation-marker-${compactionId}` };
}
