/** What a history knows of a file, and whether that still holds. */

import { clockGrain, deletionDelay } from './tuning.ts';

/** A file as it is on disk. */
export interface FileFacts {
	contentHash: string;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

/** A read of a file. */
export interface KnownRead {
	/** Ordinal of the message that shows it; absent until that message has come. */
	seq?: number;
	/** The client named the message or the call that shows it. */
	named: boolean;
	/** First line, from 1; absent: the first. */
	from?: number;
	/** Last line, included; absent: the last of the file. */
	to?: number;
	/** Of the whole file as it was read; absent where nobody told. */
	contentHash?: string;
	/** Milliseconds since the epoch: what was written later is not in it. */
	at: number;
}

/** The newest call of the agent that changes a file. */
export interface KnownEdit {
	/** Ordinal of the message with the call. */
	seq: number;
	/** The call has no result yet. */
	isOpen: boolean;
	/** When its result came, milliseconds since the epoch. */
	at: number;
}

export interface KnownFile {
	/** Oldest first. */
	reads: KnownRead[];
	edit?: KnownEdit;
	/** What was there at the last change; `gone` where nothing was, absent while nothing has happened. */
	now?: FileFacts | 'gone';
	/** When that was noticed, milliseconds since the epoch. */
	noticedAt: number;
}

/** Whether the last change of a file is the work of the agent's own newest edit. */
export function isOwnChange({ edit, now, noticedAt }: KnownFile): boolean {
	if (edit === undefined || now === undefined) return false;
	if (edit.isOpen) return true;
	if (now === 'gone') return noticedAt <= edit.at + deletionDelay;
	// File systems date a change by fractions of a millisecond, the clock that dated the edit by whole ones.
	return Math.floor(now.modifiedAt) <= edit.at;
}

/**
 * Whether a file is not what a read of it showed. A read that is older than the agent's own newest edit is
 * superseded, not stale: the agent knows what it wrote. It is stale when the file changed after that edit.
 */
export function isStale(read: KnownRead, file: KnownFile): boolean {
	const { now, edit } = file;
	if (now === undefined || !isChanged(read, now)) return false;
	const isOlderThanEdit = edit !== undefined && (read.seq ?? edit.seq) < edit.seq;
	return !(isOlderThanEdit && isOwnChange(file));
}

function isChanged(read: KnownRead, now: FileFacts | 'gone'): boolean {
	if (now === 'gone') return true;
	if (read.contentHash !== undefined) return read.contentHash !== now.contentHash;
	return now.modifiedAt > read.at - clockGrain;
}

/** Whether a read shows these lines of the file, both included. */
export function showsRange(read: Pick<KnownRead, 'from' | 'to'>, from: number, to: number): boolean {
	return (read.from ?? 1) <= from && (read.to ?? Infinity) >= to;
}
