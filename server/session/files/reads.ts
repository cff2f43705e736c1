/** Which files a session's history reads and changes, gathered from its rows and records as they come. */

import { uriOfPath } from '../../core/files/folder.ts';
import {
	isStale,
	type KnownEdit,
	type KnownFile,
	type KnownRead,
	showsRange,
} from '../../core/files/knownFile.ts';
import type { RowTouch, Seq } from '../../core/history/record.ts';
import type { Row } from '../../core/history/row.ts';
import { findUnit } from '../../core/history/seen.ts';
import type { AnnouncedRead, State } from '../../core/history/state.ts';
import { type Slices, sliceLength } from '../../core/slices.ts';
import type { StaleRead } from '../../protocol/stats.ts';

/** A file that a session knows, by one of its names. */
export interface TrackedFile extends KnownFile {
	/** Absolute, as calls name it. */
	path: string;
	/** As the client names it. */
	uri: string;
	/** Where it really lies; absent while that is being found out, and where it lies outside the workspace. */
	real?: string;
	/** The path that is watched for it. */
	watched?: string;
	/** Rows that show a read which somebody named. */
	named: Set<Seq>;
}

/** A read whose message has not come yet. */
interface WaitingRead {
	file: TrackedFile;
	read: KnownRead;
	messageId?: string;
	callId?: string;
	/** UTF-16 units that its message has at least; absent if unknown. */
	chars?: number;
}

/** So many rows came until then, milliseconds since the epoch. */
interface Past {
	rows: number;
	at: number;
}

/** What is known of a session's files. */
export interface FileReads {
	files: Map<string, TrackedFile>;
	/** Files that were named for the first time since the last `takeFound`. */
	found: TrackedFile[];
	/** Rows and announced reads that are gathered already. */
	rows: number;
	announced: number;
	/** What was there when the session was opened. */
	readonly past: Past;
	waiting: WaitingRead[];
	/** Edits whose call has no result yet, by that call. */
	openEdits: Map<string, KnownEdit[]>;
	/** Files of which a read may be stale: all others are fresh. */
	suspects: Set<TrackedFile>;
}

/** Reads that wait for their message: more are not remembered, since most of these will never come. */
const mostWaiting = 256;

/** Of a session that was just opened; what it holds already happened until `until`. */
export function emptyFileReads({ rows }: State, until: number): FileReads {
	return {
		files: new Map(),
		found: [],
		rows: 0,
		announced: 0,
		past: { rows: rows.length, at: until },
		waiting: [],
		openEdits: new Map(),
		suspects: new Set(),
	};
}

/**
 * Takes in what a session has got since the last time. O(what is new), in slices; others may do so meanwhile. `now`
 * stands for all that came since the session was opened, milliseconds since the epoch.
 */
export function* gather(reads: FileReads, state: State, now: number): Slices<void> {
	const { past } = reads;
	for (let done = 1; reads.rows < state.rows.length || reads.announced < state.reads.length; done++) {
		if (done % sliceLength === 0) yield;
		const announced = state.reads[reads.announced];
		const row = state.rows[reads.rows];
		if (announced && (!row || announced.seq <= row.seq)) {
			reads.announced++;
			takeAnnounced(reads, state, announced);
		} else if (row) {
			const at = reads.rows < past.rows ? past.at : now;
			reads.rows++;
			takeRow(reads, row, at);
		}
	}
}

/** The files that were named for the first time since the last call. */
export function takeFound(reads: FileReads): TrackedFile[] {
	return reads.found.splice(0);
}

/** The file of that name, tracked from now on. Only an absolute name is one. */
export function fileNamed(reads: FileReads, path: string): TrackedFile | undefined {
	const known = reads.files.get(path);
	if (known || !/^(\/|[A-Za-z]:\/)/.test(path)) return known;
	const file: TrackedFile = { path, uri: uriOfPath(path), reads: [], noticedAt: 0, named: new Set() };
	reads.files.set(path, file);
	reads.found.push(file);
	return file;
}

function takeAnnounced(reads: FileReads, state: State, announced: AnnouncedRead): void {
	const { touch, messageId, contentHash, chars, at } = announced;
	const file = fileNamed(reads, touch.path);
	if (!file) return;
	const callId = touch.callId === '' ? undefined : touch.callId;
	const read: KnownRead = {
		seq: messageId === undefined ? undefined : state.index.get(messageId),
		named: messageId !== undefined || callId !== undefined,
		from: touch.from,
		to: touch.to,
		contentHash,
		at,
	};
	if (read.seq !== undefined) {
		forgetShown(file, read.seq);
		file.named.add(read.seq);
	} else reads.waiting.push({ file, read, messageId, callId, chars });
	if (reads.waiting.length > mostWaiting) reads.waiting.shift();
	file.reads.push(read);
}

/** What the row alone tells of this read is told better now. */
function forgetShown(file: TrackedFile, seq: Seq): void {
	const index = file.reads.findLastIndex((read) => read.seq === seq && read.contentHash === undefined);
	if (index >= 0) file.reads.splice(index, 1);
}

function takeRow(reads: FileReads, row: Row, at: number): void {
	closeEdits(reads, row, at);
	for (const touch of row.touches ?? []) {
		const file = fileNamed(reads, touch.path);
		if (!file || touch.kind !== 'edit') continue;
		file.edit = { seq: row.seq, isOpen: true, at };
		const others = reads.openEdits.get(touch.callId);
		if (others) others.push(file.edit);
		else reads.openEdits.set(touch.callId, [file.edit]);
	}
	const joined = join(reads, row);
	if (joined || row.isError) return;
	for (const show of row.shows ?? []) takeShown(fileNamed(reads, show.path), show, row, at);
}

/** A call is done with its result, and so are all when the conversation goes on. */
function closeEdits(reads: FileReads, row: Row, at: number): void {
	if (reads.openEdits.size === 0) return;
	const calls = row.role === 'tool' ? [row.answers ?? ''] : [...reads.openEdits.keys()];
	for (const call of calls) {
		for (const edit of reads.openEdits.get(call) ?? []) Object.assign(edit, { isOpen: false, at });
		reads.openEdits.delete(call);
	}
}

/** Gives a message to the reads that wait for it; whether one named it. */
function join(reads: FileReads, row: Row): boolean {
	if (reads.waiting.length === 0) return false;
	const mine = reads.waiting.filter((waiting) => isAwaited(waiting, row));
	if (mine.length === 0) return false;
	reads.waiting = reads.waiting.filter((waiting) => !mine.includes(waiting));
	for (const { file, read } of mine) {
		read.seq = row.seq;
		file.named.add(row.seq);
	}
	return mine.some(({ read }) => read.named);
}

/** A read that named no message is in the next one that shows the file, or that is long enough to hold it. */
function isAwaited({ file, messageId, callId, chars = 0 }: WaitingRead, row: Row): boolean {
	if (messageId !== undefined) return row.id === messageId;
	if (callId !== undefined) return row.answers === callId;
	if (row.role === 'tool' && row.shows) return row.shows.some((show) => show.path === file.path);
	return (row.role === 'tool' || row.role === 'user') && row.chars >= chars;
}

function takeShown(file: TrackedFile | undefined, show: RowTouch, row: Row, at: number): void {
	if (!file || file.named.has(row.seq) || file.reads.at(-1)?.seq === row.seq) return;
	// Where the last lines begin is known only to who knew the file then.
	const from = show.from ?? (show.lastLines === undefined ? undefined : Infinity);
	file.reads.push({ seq: row.seq, named: false, from, to: show.to, at });
}

/** Two names turned out to be one file: what is known of the second goes to the first. */
export function mergeFiles(reads: FileReads, into: TrackedFile, other: TrackedFile): void {
	for (const read of other.reads) into.reads.push(read);
	for (const seq of other.named) into.named.add(seq);
	if (other.edit && (into.edit?.seq ?? -1) < other.edit.seq) into.edit = other.edit;
	for (const waiting of reads.waiting) if (waiting.file === other) waiting.file = into;
	reads.files.set(other.path, into);
	reads.suspects.delete(other);
}

/**
 * The visible reads of files that changed since, in the order of the history, but for those whose lines a
 * later, fresh read shows. O(reads of changed files).
 */
export function staleReads(reads: FileReads, state: State): StaleRead[] {
	const found = [...reads.suspects].flatMap((file) =>
		staleRows(file, state).map((seq) => ({ seq, uri: file.uri })),
	);
	return found
		.sort((a, b) => a.seq - b.seq)
		.map(({ seq, uri }) => ({ uri, messageId: state.rows[seq]?.id ?? '' }));
}

/** The messages whose read of a file is stale. */
function staleRows(file: TrackedFile, state: State): Seq[] {
	const shown = file.reads.flatMap((read) =>
		read.seq !== undefined && isShown(state, read.seq) ? [{ ...read, seq: read.seq }] : [],
	);
	const fresh = shown.filter((read) => !isStale(read, file));
	const stale = shown.filter(
		(read) =>
			isStale(read, file) &&
			!fresh.some((later) => later.seq > read.seq && showsRange(later, read.from ?? 1, read.to ?? Infinity)),
	);
	return [...new Set(stale.map(({ seq }) => seq))];
}

/** Whether a message still shows something of its file. */
function isShown(state: State, seq: Seq): boolean {
	const unit = findUnit(state, seq);
	return unit !== undefined && (unit.layer === 0 || unit.row.made === 'shortened');
}
