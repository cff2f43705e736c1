/** Collects which files a session reads and changes, from its rows and records as they arrive. */

import { pathToUri } from '../../core/files/folder.ts';
import {
	isStale,
	type KnownEdit,
	type KnownFile,
	type KnownRead,
	showsRange,
} from '../../core/files/knownFile.ts';
import type { RowTouch, Seq } from '../../core/history/record.ts';
import type { Row } from '../../core/history/row.ts';
import type { AnnouncedRead, State } from '../../core/history/state.ts';
import { findUnit } from '../../core/history/unitLookup.ts';
import { itemsPerSlice, type SlicedTask } from '../../core/slices.ts';
import type { StaleRead } from '../../protocol/stats.ts';

/** A file that a session read or changed, under one of its names. */
export interface TrackedFile extends KnownFile {
	/** Absolute path, as tool calls name it. */
	path: string;
	/** URI, as the client names it. */
	uri: string;
	/** The path without links; absent while it is being determined, and if it is outside the workspace. */
	realPath?: string;
	/** The path that is watched for the file. */
	watchedPath?: string;
	/** Rows whose read of the file the client announced with a message id or call id. */
	namedRows: Set<Seq>;
}

/** An announced read whose message has not arrived yet. */
interface WaitingRead {
	file: TrackedFile;
	read: KnownRead;
	messageId?: string;
	callId?: string;
	/** Minimum length of the read's message, in UTF-16 units; absent if unknown. */
	chars?: number;
}

/** When a session was opened, and how many rows it had then. */
interface OpeningMoment {
	rowCount: number;
	/** Time before which the first `rowCount` rows were appended, in milliseconds since the epoch. */
	openedAt: number;
}

/** The files of a session and their reads. */
export interface FileReads {
	files: Map<string, TrackedFile>;
	/** Files seen for the first time since the last `drainNewFiles`. */
	newFiles: TrackedFile[];
	/** Number of rows that `processNewReads` has processed. */
	processedRowCount: number;
	/** Number of announced reads that `processNewReads` has processed. */
	processedAnnouncements: number;
	/** When the session was opened, and how many rows it had then. */
	readonly atOpening: OpeningMoment;
	/** Announced reads whose message has not arrived yet. */
	waitingReads: WaitingRead[];
	/** Edits whose call has no result yet, by the id of the call. */
	openEdits: Map<string, KnownEdit[]>;
	/** Files with reads that may be stale; the reads of all other files are fresh. */
	possiblyStaleFiles: Set<TrackedFile>;
}

/** Maximum number of reads that wait for their message. Older reads are dropped, since their messages rarely arrive. */
const maxWaitingReads = 256;

/**
 * Creates the empty collection for a session that was just opened.
 * @param until time before which the session's present rows were appended, in milliseconds since the epoch
 */
export function createFileReads({ rows }: State, until: number): FileReads {
	return {
		files: new Map(),
		newFiles: [],
		processedRowCount: 0,
		processedAnnouncements: 0,
		atOpening: { rowCount: rows.length, openedAt: until },
		waitingReads: [],
		openEdits: new Map(),
		possiblyStaleFiles: new Set(),
	};
}

/**
 * Processes the rows and reads that a session received since the last call. O(new rows and reads), in slices.
 * @param now time assigned to everything that arrived after the session was opened, in milliseconds since the epoch
 */
export function* processNewReads(reads: FileReads, state: State, now: number): SlicedTask<void> {
	const { atOpening } = reads;
	for (
		let processedCount = 1;
		reads.processedRowCount < state.rows.length || reads.processedAnnouncements < state.announcedReads.length;
		processedCount++
	) {
		if (processedCount % itemsPerSlice === 0) yield;
		const announcedRead = state.announcedReads[reads.processedAnnouncements];
		const row = state.rows[reads.processedRowCount];
		if (announcedRead && (!row || announcedRead.seq <= row.seq)) {
			reads.processedAnnouncements++;
			addAnnouncedRead(reads, state, announcedRead);
		} else if (row) {
			const at = reads.processedRowCount < atOpening.rowCount ? atOpening.openedAt : now;
			reads.processedRowCount++;
			processRow(reads, row, at);
		}
	}
}

/** Returns and clears the files that were seen for the first time. */
export function drainNewFiles(reads: FileReads): TrackedFile[] {
	return reads.newFiles.splice(0);
}

/** Returns the file with this path, and tracks it from now on; undefined unless the path is absolute. */
export function trackFileByName(reads: FileReads, path: string): TrackedFile | undefined {
	const existing = reads.files.get(path);
	if (existing || !/^(\/|[A-Za-z]:\/)/.test(path)) return existing;
	const file: TrackedFile = { path, uri: pathToUri(path), reads: [], noticedAt: 0, namedRows: new Set() };
	reads.files.set(path, file);
	reads.newFiles.push(file);
	return file;
}

function addAnnouncedRead(reads: FileReads, state: State, announcedRead: AnnouncedRead): void {
	const { touch, messageId, contentHash, chars, at } = announcedRead;
	const file = trackFileByName(reads, touch.path);
	if (!file) return;
	const callId = touch.callId === '' ? undefined : touch.callId;
	const read: KnownRead = {
		seq: messageId === undefined ? undefined : state.index.get(messageId),
		isNamed: messageId !== undefined || callId !== undefined,
		from: touch.from,
		to: touch.to,
		contentHash,
		at,
	};
	if (read.seq !== undefined) {
		dropDerivedRead(file, read.seq);
		file.namedRows.add(read.seq);
	} else reads.waitingReads.push({ file, read, messageId, callId, chars });
	if (reads.waitingReads.length > maxWaitingReads) reads.waitingReads.shift();
	file.reads.push(read);
}

/** Drops a read that was derived from its row alone, since an announced read describes it better. */
function dropDerivedRead(file: TrackedFile, seq: Seq): void {
	const index = file.reads.findLastIndex((read) => read.seq === seq && read.contentHash === undefined);
	if (index >= 0) file.reads.splice(index, 1);
}

function processRow(reads: FileReads, row: Row, at: number): void {
	closeEdits(reads, row, at);
	for (const touch of row.touches ?? []) {
		const file = trackFileByName(reads, touch.path);
		if (!file || touch.kind !== 'edit') continue;
		file.edit = { seq: row.seq, isOpen: true, at };
		const editsOfCall = reads.openEdits.get(touch.callId);
		if (editsOfCall) editsOfCall.push(file.edit);
		else reads.openEdits.set(touch.callId, [file.edit]);
	}
	const isNamedRead = assignToWaitingReads(reads, row);
	if (isNamedRead || row.isError) return;
	for (const show of row.shows ?? []) addShownRead(trackFileByName(reads, show.path), show, row, at);
}

/** Marks the edits of a call as done when a row is its result, and all edits when a row is not a tool result. */
function closeEdits(reads: FileReads, row: Row, at: number): void {
	if (reads.openEdits.size === 0) return;
	const calls = row.role === 'tool' ? [row.answers ?? ''] : [...reads.openEdits.keys()];
	for (const call of calls) {
		for (const edit of reads.openEdits.get(call) ?? []) Object.assign(edit, { isOpen: false, at });
		reads.openEdits.delete(call);
	}
}

/** Assigns a row to the reads that wait for it; returns whether a read names the row's message or call. */
function assignToWaitingReads(reads: FileReads, row: Row): boolean {
	if (reads.waitingReads.length === 0) return false;
	const matching = reads.waitingReads.filter((waiting) => isAwaited(waiting, row));
	if (matching.length === 0) return false;
	reads.waitingReads = reads.waitingReads.filter((waiting) => !matching.includes(waiting));
	for (const { file, read } of matching) {
		read.seq = row.seq;
		file.namedRows.add(row.seq);
	}
	return matching.some(({ read }) => read.isNamed);
}

/** Whether a read waits for a row: the named row, else the next row that shows the file or is long enough. */
function isAwaited({ file, messageId, callId, chars = 0 }: WaitingRead, row: Row): boolean {
	if (messageId !== undefined) return row.id === messageId;
	if (callId !== undefined) return row.answers === callId;
	if (row.role === 'tool' && row.shows) return row.shows.some((show) => show.path === file.path);
	return (row.role === 'tool' || row.role === 'user') && row.chars >= chars;
}

function addShownRead(file: TrackedFile | undefined, show: RowTouch, row: Row, at: number): void {
	if (!file || file.namedRows.has(row.seq) || file.reads.at(-1)?.seq === row.seq) return;
	// The file's length at that time is unknown, so the numbers of its last lines are unknown too.
	const from = show.from ?? (show.lastLines === undefined ? undefined : Infinity);
	file.reads.push({ seq: row.seq, isNamed: false, from, to: show.to, at });
}

/** Moves the reads and edits of `source` to `target`, because both names turned out to be one file. */
export function mergeFiles(reads: FileReads, target: TrackedFile, source: TrackedFile): void {
	for (const read of source.reads) target.reads.push(read);
	for (const seq of source.namedRows) target.namedRows.add(seq);
	if (source.edit && (target.edit?.seq ?? -1) < source.edit.seq) target.edit = source.edit;
	for (const waiting of reads.waitingReads) if (waiting.file === source) waiting.file = target;
	reads.files.set(source.path, target);
	reads.possiblyStaleFiles.delete(source);
}

/**
 * Returns the visible reads of files that changed after the read, in the order of the history.
 *
 * Leaves out reads whose lines a later, fresh read shows. O(reads of changed files).
 */
export function listStaleReads(reads: FileReads, state: State): StaleRead[] {
	const staleRows = [...reads.possiblyStaleFiles].flatMap((file) =>
		findStaleRows(file, state).map((seq) => ({ seq, uri: file.uri })),
	);
	return staleRows
		.sort((a, b) => a.seq - b.seq)
		.map(({ seq, uri }) => ({ uri, messageId: state.rows[seq]?.id ?? '' }));
}

/** Returns the rows that show a stale read of a file. */
function findStaleRows(file: TrackedFile, state: State): Seq[] {
	const shownReads = file.reads.flatMap((read) =>
		read.seq !== undefined && isShown(state, read.seq) ? [{ ...read, seq: read.seq }] : [],
	);
	const freshReads = shownReads.filter((read) => !isStale(read, file));
	const staleReads = shownReads.filter(
		(read) =>
			isStale(read, file) &&
			!freshReads.some(
				(later) => later.seq > read.seq && showsRange(later, read.from ?? 1, read.to ?? Infinity),
			),
	);
	return [...new Set(staleReads.map(({ seq }) => seq))];
}

/** Whether the message of a row is visible and still shows at least part of its file. */
function isShown(state: State, seq: Seq): boolean {
	const unit = findUnit(state, seq);
	return unit !== undefined && (unit.layer === 0 || unit.row.made === 'shortened');
}
