/** Decides whether a history's reads of a file are still up to date, and whether a message shows the file's present lines. */

import { stripGutter } from './touches/gutter.ts';
import { fileTimeToleranceMs, maxDeletionDelayMs } from './tuning.ts';

/** A file's state on disk. */
export interface FileFacts {
	contentHash: string;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

export interface KnownRead {
	/** Ordinal of the message that shows the read; absent until that message arrives. */
	seq?: number;
	/** Whether the client named the message or call that shows the read. */
	isNamed: boolean;
	/** First line that was read, from 1; absent if the read began with the first line of the file. */
	from?: number;
	/** Last line that was read, inclusive; absent if the read ended with the last line of the file. */
	to?: number;
	/** Hash of the whole file when it was read; absent if unknown. */
	contentHash?: string;
	/** When the file was read, in milliseconds since the epoch. The read does not show later changes. */
	at: number;
}

/** The agent's newest call that changes a file. */
export interface KnownEdit {
	/** Ordinal of the message with the call. */
	seq: number;
	/** Whether the call has no result yet. */
	isOpen: boolean;
	/** Time of the call's result, in milliseconds since the epoch. */
	at: number;
}

export interface KnownFile {
	/** The reads of the file, oldest first. */
	reads: KnownRead[];
	edit?: KnownEdit;
	/** The file after its last change; `gone` if the file no longer exists, absent if nothing has changed yet. */
	latestFacts?: FileFacts | 'gone';
	/** When the file's last change was noticed, in milliseconds since the epoch. */
	noticedAt: number;
}

/** Whether the last change of a file was made by the agent's own newest edit. */
export function isOwnChange({ edit, latestFacts, noticedAt }: KnownFile): boolean {
	if (edit === undefined || latestFacts === undefined) return false;
	if (edit.isOpen) return true;
	if (latestFacts === 'gone') return noticedAt <= edit.at + maxDeletionDelayMs;
	// File systems date changes in fractions of a millisecond, but edits are dated in whole milliseconds.
	return Math.floor(latestFacts.modifiedAt) <= edit.at;
}

/**
 * Whether a file no longer matches what a read showed. A read before the agent's own newest edit is superseded instead
 * of stale, because the agent knows what it wrote. The read becomes stale if the file changes after that edit.
 */
export function isStale(read: KnownRead, file: KnownFile): boolean {
	const { latestFacts, edit } = file;
	if (latestFacts === undefined || !isChanged(read, latestFacts)) return false;
	const isOlderThanEdit = edit !== undefined && (read.seq ?? edit.seq) < edit.seq;
	return !(isOlderThanEdit && isOwnChange(file));
}

function isChanged(read: KnownRead, latestFacts: FileFacts | 'gone'): boolean {
	if (latestFacts === 'gone') return true;
	if (read.contentHash !== undefined) return read.contentHash !== latestFacts.contentHash;
	return latestFacts.modifiedAt > read.at - fileTimeToleranceMs;
}

/** Whether a read shows all lines of an inclusive range. */
export function showsRange(read: Pick<KnownRead, 'from' | 'to'>, from: number, to: number): boolean {
	return (read.from ?? 1) <= from && (read.to ?? Infinity) >= to;
}

/** Lines of a file as they are on disk now. */
export interface PresentLines {
	content: string;
	/** Number of the first line, from 1. */
	firstLine: number;
	/** Whether the file ends with these lines. */
	reachesEnd: boolean;
}

/**
 * Whether a message's text shows exactly these lines at their positions, and no line after the end of the file.
 * `shownFrom` is the number of the text's first line if the text contains no line numbers.
 */
export function showsLines(text: string, shownFrom: number, present: PresentLines): boolean {
	const gutter = stripGutter(text);
	const shownLines = splitLines(gutter.text);
	const presentLines = splitLines(present.content);
	const start = present.firstLine - (gutter.from ?? shownFrom);
	if (start < 0 || start + presentLines.length > shownLines.length) return false;
	if (present.reachesEnd && start + presentLines.length !== shownLines.length) return false;
	return presentLines.every((line, index) => line === shownLines[start + index]);
}

/** Whether a message's text contains the content of a file verbatim, with or without line numbers. */
export function showsContent(text: string, content: string): boolean {
	if (content === '') return false;
	return text.includes(content) || stripGutter(text).text.includes(content.replace(/\n$/, ''));
}

/** Splits a text into lines. A line end at the end of the text starts no further line. */
function splitLines(text: string): string[] {
	const lines = text.split('\n');
	if (lines.at(-1) === '') lines.pop();
	return lines;
}
