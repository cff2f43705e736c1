/** The entries of a transcript. Entries that are already stored have no text here. */

import type { ChatMessage, IdentifiedMessage, Usage } from '../../protocol/conversation.ts';
import { joinPlainText } from '../format/wire/content.ts';
import type { TranscriptEvent, TranscriptInfo } from './reading/events.ts';

export interface OutlineMessage {
	t: 'message';
	id: string;
	/** The message; absent once it is stored. */
	message?: IdentifiedMessage;
	/** Digest of role, content and calls; computed on demand. */
	digest?: string;
	/** Id of the row in which the message is stored. */
	rowId?: string;
	usage?: Usage;
	stopReason?: string;
	isAnswer: boolean;
}

export type OutlineCompaction = Extract<TranscriptEvent, { t: 'compaction' }> & { key?: string };

export type OutlineEntry = OutlineMessage | OutlineCompaction;

export interface Outline {
	entries: OutlineEntry[];
	/** Index of each message id in `entries`. */
	positions: Map<string, number>;
	info: TranscriptInfo;
	/** The first prompt, used as the title if the transcript has none. */
	prompt?: string;
	/** Number of skipped records by type. */
	skippedCounts: Map<string, number>;
	/** Number of leading entries that have not changed since this number was last set. */
	unchangedCount: number;
	/** Usage in skipped entries; absent if no entries were skipped. */
	skippedPrefix?: SkippedPrefix;
	/** Tokens of the largest prompt that was answered before a rewind, in entries that were dropped. */
	rewoundTokens?: number;
}

/** Usage in entries that are no longer in the outline. Tokens. */
export interface SkippedFigures {
	/** Tokens of the largest prompt that was answered. */
	answered: number;
	/** Tokens that requests contain besides messages, if a usage figure revealed the number. */
	standing?: number;
}

/** Facts about skipped entries that are still needed. */
export interface SkippedPrefix extends SkippedFigures {
	standing: number;
	/** Number of leading entries that were kept from the skipped part. A rewind to one of them needs the skipped entries. */
	keptCount: number;
}

export function createOutline(): Outline {
	return { entries: [], positions: new Map(), info: {}, skippedCounts: new Map(), unchangedCount: 0 };
}

export function countSkippedRecord(outline: Outline, type: string, times = 1): void {
	outline.skippedCounts.set(type, (outline.skippedCounts.get(type) ?? 0) + times);
}

/** Returns the number of entries after a rewind to a message; undefined if it does not exist. */
export function countEntriesUpTo(outline: Outline, messageId: string | null): number | undefined {
	if (messageId === null) return 0;
	const index = outline.positions.get(messageId);
	return index === undefined ? undefined : index + 1;
}

/** Returns the session's title: the given one, or the first line that a person typed. */
export function findTitle({ info, prompt }: Outline): string | undefined {
	return info.title ?? prompt;
}

/** Applies an event to the outline, in place. Constant time for any length of transcript. */
export function applyEvent(outline: Outline, event: TranscriptEvent): void {
	const { entries, positions } = outline;
	switch (event.t) {
		case 'message':
			outline.prompt ??= extractPromptTitle(event.message);
			positions.set(event.message.id, entries.length);
			entries.push(toOutlineMessage(event.message));
			return;
		case 'compaction':
			for (const { id } of event.replacement) positions.set(id, entries.length);
			entries.push({ ...event });
			return;
		case 'replace':
			changeMessage(outline, event.messageId, () => toOutlineMessage(event.message), event.message);
			return;
		case 'usage':
			changeMessage(outline, event.messageId, (entry) => ({
				...entry,
				usage: event.usage,
				...(event.stopReason !== undefined && { stopReason: event.stopReason }),
			}));
			return;
		case 'rewind':
			truncateEntries(outline, countEntriesUpTo(outline, event.toMessageId));
			return;
		case 'info':
			// Keep the folder in which the session started; later folders belong to its commands.
			Object.assign(outline.info, event.info, { cwd: outline.info.cwd ?? event.info.cwd });
			return;
		case 'skipped':
			countSkippedRecord(outline, event.type);
	}
}

/** A line that is wrapped in one tag. */
const wrappedLinePattern = /^<(\w+)(?:[^\w>][^>]*)?>(.*)<\/\1>$/;
/** Maximum length of a title taken from a prompt, in code points. */
const maxTitleLength = 80;

/** Returns the first line of a message that a person typed, shortened; undefined for any other message. */
export function extractPromptTitle(message: ChatMessage): string | undefined {
	if (message.role !== 'user' || message.metadata?.injected === true) return undefined;
	const lines = joinPlainText(message.content).slice(0, 2000).split('\n');
	const textLines = lines.map((one) => one.trim()).filter((one) => one !== '' && !/^<[^>]*>$/.test(one));
	// Text inside an agent's wrapper is used only if there is nothing else.
	const line =
		textLines.find((one) => !wrappedLinePattern.test(one)) ??
		textLines.map((one) => wrappedLinePattern.exec(one)?.[2])[0];
	if (line === undefined) return undefined;
	const characters = [...line];
	return characters.length > maxTitleLength ? `${characters.slice(0, maxTitleLength - 1).join('')}…` : line;
}

function toOutlineMessage(message: IdentifiedMessage): OutlineMessage {
	const { id, usage, stopReason, role } = message;
	return {
		t: 'message',
		id,
		message,
		isAnswer: role === 'assistant',
		...(usage && { usage }),
		...(stopReason !== undefined && { stopReason }),
	};
}

function changeMessage(
	outline: Outline,
	id: string,
	change: (entry: OutlineMessage) => OutlineMessage,
	message?: IdentifiedMessage,
): void {
	const index = outline.positions.get(id);
	const entry = outline.entries[index ?? -1];
	if (index === undefined || entry === undefined) return;
	if (entry.t === 'message') outline.entries[index] = change(entry);
	else if (message === undefined) return;
	else {
		const replacement = entry.replacement.map((one) => (one.id === id ? message : one));
		outline.entries[index] = { ...entry, replacement, key: undefined };
	}
	outline.unchangedCount = Math.min(outline.unchangedCount, index);
}

function truncateEntries(outline: Outline, count: number | undefined): void {
	if (count === undefined) return;
	for (const entry of outline.entries.splice(count)) {
		const removedIds = entry.t === 'message' ? [entry.id] : entry.replacement.map(({ id }) => id);
		for (const id of removedIds) outline.positions.delete(id);
	}
	outline.unchangedCount = Math.min(outline.unchangedCount, count);
}
