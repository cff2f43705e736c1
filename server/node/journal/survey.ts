/** What can be used of a journal from the first place on that is not sound. */

import type { JournalFile } from './bodies.ts';
import { nextHeader } from './nextHeader.ts';
import { readInto, recordEnd, type ScannedRecord, scanRecords } from './scanner.ts';

/** A stretch of a journal, in bytes from its start. */
export interface Stretch {
	from: number;
	to: number;
}

/** A record whose header is sound. */
export interface FoundRecord extends Stretch {
	kind: 'record';
	/** All that stands before it was on disk when it was written. */
	synced: boolean;
	/** Bytes of it that are not there: the next record begins before its bodies can have ended. */
	missing: number;
}

/** Bytes that belong to no sound record. */
export interface LostStretch extends Stretch {
	kind: 'lost';
	/** The journal ends in it as it would within a record that is being written. */
	isUnfinished: boolean;
}

export type JournalPiece = FoundRecord | LostStretch;

/** What a survey found. */
export interface Survey {
	/** What can be used, in order. */
	pieces: JournalPiece[];
	/** Where it ends: what stands behind is of a write that never finished. */
	end: number;
	/** Some of what stands behind may be more than a write that a dying process left. */
	isTailOfWorth: boolean;
}

/**
 * Looks at a journal from `offset` on, where something is wrong. A write that never finished can only stand in the
 * last group, and is known by the end of the file or by zeros, which no journal holds; all else is damage.
 *
 * @throws Failure `StorageFailed` when the file cannot be read.
 */
export async function surveyFrom(file: JournalFile, offset: number, size: number): Promise<Survey> {
	const pieces = await piecesFrom(file, offset, size);
	const lastGroup = Math.max(
		0,
		pieces.findLastIndex((piece) => piece.kind === 'record' && piece.synced),
	);
	for (let index = lastGroup; index < pieces.length; index++) {
		const piece = pieces[index];
		if (piece === undefined || !(await isTorn(file, piece))) continue;
		const isBare = piece.kind === 'lost' && (piece.isUnfinished || (await zerosIn(file, piece)) === 'only');
		return {
			pieces: pieces.slice(0, index),
			end: piece.from,
			isTailOfWorth: !isBare || index < pieces.length - 1,
		};
	}
	return { pieces, end: size, isTailOfWorth: false };
}

/** Records that stand one behind the other. */
export interface Run extends Stretch {
	kind: 'run';
	/** Bytes of the last one that are not there. */
	missing: number;
}

/** Pieces, with records that stand one behind the other put together. */
export function runsOf(pieces: readonly JournalPiece[]): (Run | LostStretch)[] {
	const runs: (Run | LostStretch)[] = [];
	for (const piece of pieces) {
		const last = runs.at(-1);
		if (piece.kind === 'lost') runs.push(piece);
		else if (last?.kind === 'run' && last.missing === 0)
			Object.assign(last, { to: piece.to, missing: piece.missing });
		else runs.push({ kind: 'run', from: piece.from, to: piece.to, missing: piece.missing });
	}
	return runs;
}

async function piecesFrom(file: JournalFile, offset: number, size: number): Promise<JournalPiece[]> {
	const pieces: JournalPiece[] = [];
	for (let index = offset; index < size; ) {
		let last: { found: FoundRecord; headerEnd: number } | undefined;
		const end = await scanRecords(file, index, size, (record) => {
			last = { found: foundRecord(record), headerEnd: record.headerEnd };
			pieces.push(last.found);
		});
		if (end.reason === 'end') break;
		// Where bytes are missing from the last record, the next one lies in what looks like its bodies.
		const found = await nextHeader(file, last?.headerEnd ?? end.offset + 1, size);
		const next = typeof found === 'number' ? found : size;
		if (last !== undefined && next < last.found.to) {
			Object.assign(last.found, { to: next, missing: last.found.to - next });
		} else {
			const isUnfinished = found === 'none' && end.reason === 'incomplete';
			pieces.push({ kind: 'lost', from: end.offset, to: next, isUnfinished });
		}
		index = next;
	}
	return pieces;
}

function foundRecord(record: ScannedRecord): FoundRecord {
	const { offset, synced } = record;
	return { kind: 'record', from: offset, to: recordEnd(record), synced, missing: 0 };
}

/** Whether a piece of the last group is of a write that never finished; no journal holds a zero. */
async function isTorn(file: JournalFile, piece: JournalPiece): Promise<boolean> {
	return (piece.kind === 'lost' && piece.isUnfinished) || (await zerosIn(file, piece)) !== 'none';
}

const chunkBytes = 1024 * 1024;

/** Whether a stretch holds zero bytes, or nothing else. */
async function zerosIn(file: JournalFile, { from, to }: Stretch): Promise<'none' | 'some' | 'only'> {
	const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - from));
	let hasZeros = false;
	let hasOthers = false;
	for (let index = from; index < to; ) {
		const bytesRead = await readInto(file, buffer, Math.min(buffer.length, to - index), index);
		if (bytesRead === 0) break;
		const bytes = buffer.subarray(0, bytesRead);
		hasZeros ||= bytes.includes(0);
		hasOthers ||= bytes.some((byte) => byte !== 0);
		if (hasZeros && hasOthers) return 'some';
		index += bytesRead;
	}
	if (hasZeros) return 'only';
	return 'none';
}
