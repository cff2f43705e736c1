import { statSync } from 'node:fs';
import { tryParseJson } from '../../core/shape.ts';
import { parseTime } from '../../core/values.ts';
import { RawLines } from '../../node/transcript/rawLines.ts';
import type { Archive } from '../archive/archive.ts';
import { isUnchangedSince, type LinePosition, OpenLineFile } from './openLineFile.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';

const maxReadBytes = 1 << 20;
/** A read continues only if this many bytes before it are unchanged. */
const tailBytes = 512;

/**
 * Records a transcript that is a file of lines.
 *
 * The file stays open, so that lines appended right before the agent deleted or replaced the file are still read. The file is
 * read again from its start if it was replaced or truncated, or if its start or the bytes before the position changed.
 */
export class LineTranscript implements RecordedTranscript {
	readonly #archive: Archive;
	readonly recordingId: string;
	readonly #path: string;
	#file: OpenLineFile | undefined;
	#lines = new RawLines();
	/** How far the file is in the archive; undefined if the file must be read from its start. */
	#position: LinePosition | undefined;
	/** Offset at which the lines of `#lines` begin. */
	#linesFrom = 0;
	/** Offset at which the next read begins. */
	#readTo = 0;
	/** The bytes right before the next read, including those of an unfinished line. */
	#tail = Buffer.alloc(0);
	#isRestart = false;

	constructor(archive: Archive, recordingId: string, path: string) {
		this.#archive = archive;
		this.recordingId = recordingId;
		this.#path = path;
	}

	/** Whether a read may find new lines. Much cheaper than a read. */
	get mayHaveChanged(): boolean {
		const position = this.#position;
		const stats = statSync(this.#path, { throwIfNoEntry: false });
		if (position === undefined || this.#file === undefined || stats === undefined) return true;
		return this.#readTo < stats.size || !isUnchangedSince(position, stats);
	}

	readMore(): ReadOutcome {
		const stats = statSync(this.#path, { throwIfNoEntry: false });
		if (this.#file !== undefined) {
			const { dev, ino } = this.#file.readStats();
			if (stats?.ino !== ino || stats.dev !== dev) {
				// The file may also have been rewritten before it was replaced.
				this.#checkStart(this.#file);
				const hadMore = this.#readPiece(this.#file);
				if (hadMore) return { hasMore: true, hasChanged: true };
				this.#closeReplaced();
				this.#isRestart = true;
			}
		}
		if (stats === undefined) return { hasMore: false, hasChanged: false, isGone: true };
		const file = this.#file ?? this.#open();
		const now = file.readStats();
		const position = this.#position;
		if (position !== undefined && this.#readTo >= now.size && isUnchangedSince(position, now))
			return { hasMore: false, hasChanged: false };
		this.#checkStart(file);
		return { hasMore: this.#readPiece(file), hasChanged: true };
	}

	close(): void {
		this.#file?.close();
		this.#file = undefined;
		this.#position = undefined;
		this.#isRestart = false;
	}

	#open(): OpenLineFile {
		const file = new OpenLineFile(this.#path);
		this.#file = file;
		const position = this.#isRestart ? undefined : this.#archive.readPosition(this.recordingId);
		this.#position =
			position === undefined ? undefined : (tryParseJson(position)?.value as LinePosition | undefined);
		this.#continueAt(this.#position?.offset ?? 0);
		return file;
	}

	/** Starts over if the bytes that were read have changed; reads only the unfinished line again if only that has changed. */
	#checkStart(file: OpenLineFile): void {
		if (this.#position === undefined) return;
		if (!file.hasSameStart(this.#position, file.readStats())) this.#startOver();
		else if (!this.#hasSameTail(file)) this.#continueAt(this.#position.offset);
	}

	#hasSameTail(file: OpenLineFile): boolean {
		return file.read(this.#readTo - this.#tail.length, this.#readTo).equals(this.#tail);
	}

	#startOver(): void {
		this.#isRestart = true;
		this.#position = undefined;
		this.#continueAt(0);
	}

	#continueAt(offset: number): void {
		this.#lines = new RawLines();
		this.#linesFrom = offset;
		this.#readTo = offset;
		this.#tail = Buffer.alloc(0);
	}

	/** Reads and commits the next piece of the file; returns whether there is more to read. */
	#readPiece(file: OpenLineFile): boolean {
		const stats = file.readStats();
		const piece = file.read(
			this.#readTo,
			Math.min(this.#readTo + maxReadBytes, Math.max(this.#readTo, stats.size)),
		);
		// The file may have been rewritten since it was checked.
		const isSame = this.#position === undefined || file.hasSameStart(this.#position, file.readStats());
		if (!isSame || !this.#hasSameTail(file)) return true;
		this.#readTo += piece.length;
		this.#tail = Buffer.concat([this.#tail, piece.subarray(-tailBytes)]).subarray(-tailBytes);
		const lines = this.#lines.push(piece);
		const hasMore = piece.length > 0 && this.#readTo < stats.size;
		if (!hasMore) lines.push(...this.#lines.flushComplete(isCompleteRecord));
		this.#commit(lines, file, stats.mtimeMs);
		return hasMore;
	}

	/** Closes a replaced file, and commits its last line even if that is unfinished, because nobody will complete it. */
	#closeReplaced(): void {
		const file = this.#file;
		if (file === undefined) return;
		this.#commit(
			this.#lines.flushComplete((line) => /\S/.test(line)),
			file,
			file.readStats().mtimeMs,
		);
		file.close();
		this.#file = undefined;
	}

	#commit(lines: readonly string[], file: OpenLineFile, mtimeMs: number): void {
		const position = file.describePosition(this.#linesFrom + this.#lines.consumedBytes, file.readStats());
		let at = mtimeMs;
		const entries = lines.map((text) => {
			at = findTime(text) ?? at;
			return { at: Math.round(at), text };
		});
		const hasChanged = entries.length > 0 || this.#isRestart || position.offset !== this.#position?.offset;
		const update = { entries, isRestart: this.#isRestart, position: JSON.stringify(position) };
		if (hasChanged) this.#archive.append(this.recordingId, update);
		this.#position = position;
		this.#isRestart = false;
	}
}

/** Whether a line without a line feed is a complete JSON object or list. */
function isCompleteRecord(line: string): boolean {
	return /[}\]]\s*$/.test(line.slice(-8)) && tryParseJson(line) !== undefined;
}

/** A record's time is searched in this many characters at its start. */
const maxTimeSearchChars = 4096;

/** Returns the time that a record states, in milliseconds since the epoch; undefined if there is none. */
function findTime(text: string): number | undefined {
	const [, time] =
		/"(?:timestamp|ts|time)"\s*:\s*("[^"]{10,40}"|\d{10,13})/.exec(text.slice(0, maxTimeSearchChars)) ?? [];
	return time === undefined ? undefined : parseTime(tryParseJson(time)?.value);
}
