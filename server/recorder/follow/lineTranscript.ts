import { statSync } from 'node:fs';
import { tryParseJson } from '../../core/shape.ts';
import { parseTime } from '../../core/transcript/reading/values.ts';
import type { Archive } from '../archive/archive.ts';
import { type LinePosition, OpenLineFile } from './openLineFile.ts';
import { RawLines } from './rawLines.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';

/** Maximum bytes of one read. */
const pieceBytes = 1 << 20;
/** Bytes before the next read that must be unchanged. */
const tailBytes = 512;

/**
 * A file of lines that is recorded.
 *
 * The file stays open, so that lines are still read that were appended right before its agent deleted or replaced it. It
 * is read again from its start if it was replaced or truncated, or if its start or the bytes before the position changed.
 */
export class LineTranscript implements RecordedTranscript {
	readonly #archive: Archive;
	readonly recordingId: string;
	readonly #path: string;
	#file: OpenLineFile | undefined;
	#lines = new RawLines();
	/** How much of the file the archive has; undefined if the file has to be read from its start. */
	#position: LinePosition | undefined;
	/** Where the lines of `#lines` begin, and where the next read begins. */
	#from = 0;
	#readTo = 0;
	/** The bytes right before the next read, including those of an unfinished line, which must not change either. */
	#tail = Buffer.alloc(0);
	#startsOver = false;
	#tooLong = 0;

	constructor(archive: Archive, recordingId: string, path: string) {
		this.#archive = archive;
		this.recordingId = recordingId;
		this.#path = path;
	}

	/** Whether a read may find something new. Much cheaper than a read. */
	get mayHaveChanged(): boolean {
		const position = this.#position;
		const stats = statSync(this.#path, { throwIfNoEntry: false });
		if (position === undefined || this.#file === undefined || stats === undefined) return true;
		return this.#readTo < stats.size || !this.#file.isUnchanged(position, stats);
	}

	readMore(): ReadOutcome {
		const stats = statSync(this.#path, { throwIfNoEntry: false });
		if (this.#file !== undefined) {
			const { dev, ino } = this.#file.stats();
			if (stats?.ino !== ino || stats.dev !== dev) {
				// The old file may have been rewritten before it was replaced.
				this.#checkStart(this.#file);
				const more = this.#readPiece(this.#file);
				if (more) return { hasMore: true, hasChanged: true };
				this.#closeReplaced();
				this.#startsOver = true;
			}
		}
		if (stats === undefined) return { hasMore: false, hasChanged: false, isGone: true };
		const file = this.#file ?? this.#open();
		const now = file.stats();
		if (this.#position !== undefined && this.#readTo >= now.size) {
			if (file.isUnchanged(this.#position, now)) return { hasMore: false, hasChanged: false };
		}
		this.#checkStart(file);
		return { hasMore: this.#readPiece(file), hasChanged: true };
	}

	close(): void {
		this.#file?.close();
		this.#file = undefined;
		this.#position = undefined;
		this.#startsOver = false;
	}

	get skippedLines(): number {
		return this.#tooLong + this.#lines.skipped;
	}

	#open(): OpenLineFile {
		const file = new OpenLineFile(this.#path);
		this.#file = file;
		const stored = this.#startsOver ? undefined : this.#archive.positionOf(this.recordingId);
		this.#position =
			stored === undefined ? undefined : (tryParseJson(stored)?.value as LinePosition | undefined);
		this.#beginAt(this.#position?.offset ?? 0);
		return file;
	}

	/** Starts over if the file does not begin with what was read of it; reads a changed unfinished line again. */
	#checkStart(file: OpenLineFile): void {
		if (this.#position === undefined) return;
		if (!file.hasSameStart(this.#position, file.stats())) this.#startOver();
		else if (!this.#hasTail(file)) this.#beginAt(this.#position.offset);
	}

	#hasTail(file: OpenLineFile): boolean {
		return file.read(this.#readTo - this.#tail.length, this.#readTo).equals(this.#tail);
	}

	#startOver(): void {
		this.#startsOver = true;
		this.#position = undefined;
		this.#beginAt(0);
	}

	#beginAt(offset: number): void {
		this.#tooLong += this.#lines.skipped;
		this.#lines = new RawLines();
		this.#from = offset;
		this.#readTo = offset;
		this.#tail = Buffer.alloc(0);
	}

	/** Reads and commits the next piece; returns whether the file has more. */
	#readPiece(file: OpenLineFile): boolean {
		const stats = file.stats();
		const piece = file.read(
			this.#readTo,
			Math.min(this.#readTo + pieceBytes, Math.max(this.#readTo, stats.size)),
		);
		// The file may have been rewritten since it was checked.
		const isSame = this.#position === undefined || file.hasSameStart(this.#position, file.stats());
		if (!isSame || !this.#hasTail(file)) return true;
		this.#readTo += piece.length;
		this.#tail = Buffer.concat([this.#tail, piece.subarray(-tailBytes)]).subarray(-tailBytes);
		const lines = this.#lines.push(piece);
		const hasMore = piece.length > 0 && this.#readTo < stats.size;
		if (!hasMore) lines.push(...this.#lines.flushComplete(isCompleteRecord));
		this.#commit(lines, file, stats.mtimeMs);
		return hasMore;
	}

	/** Closes a replaced file. Commits its unfinished last line too, whose rest will never come. */
	#closeReplaced(): void {
		const file = this.#file;
		if (file === undefined) return;
		this.#commit(
			this.#lines.flushComplete((line) => /\S/.test(line)),
			file,
			file.stats().mtimeMs,
		);
		file.close();
		this.#file = undefined;
	}

	#commit(lines: readonly string[], file: OpenLineFile, mtimeMs: number): void {
		const position = file.positionAt(this.#from + this.#lines.consumed, file.stats());
		let at = mtimeMs;
		const entries = lines.map((text) => {
			at = timeIn(text) ?? at;
			return { at: Math.round(at), text };
		});
		const hasChanged = entries.length > 0 || this.#startsOver || position.offset !== this.#position?.offset;
		const update = { entries, startsOver: this.#startsOver, position: JSON.stringify(position) };
		if (hasChanged) this.#archive.append(this.recordingId, update);
		this.#position = position;
		this.#startsOver = false;
	}
}

/** Whether a line without its line feed is complete: an object or a list. */
function isCompleteRecord(line: string): boolean {
	return /[}\]]\s*$/.test(line.slice(-8)) && tryParseJson(line) !== undefined;
}

/** Characters of a record that are searched for its time. */
const searchedChars = 4096;

/** The time that a record states. Milliseconds since the epoch. */
function timeIn(text: string): number | undefined {
	const [, time] =
		/"(?:timestamp|ts|time)"\s*:\s*("[^"]{10,40}"|\d{10,13})/.exec(text.slice(0, searchedChars)) ?? [];
	return time === undefined ? undefined : parseTime(tryParseJson(time)?.value);
}
