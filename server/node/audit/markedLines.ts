import type { FileHandle } from 'node:fs/promises';
import { addLineRecords } from '../../core/transcript/index.ts';

/** Bytes that are read and searched at a time: about as many as fit into a processor's cache. */
const chunkBytes = 1 << 20;
/** Maximum bytes of a line. A longer line contains an image or an output and is skipped. */
const maxLineBytes = 64 << 20;

const lineFeed = 0x0a;

/** Finds the next occurrence of any of several texts in bytes. Passes over the bytes once for each text. */
class MarkSearch {
	readonly #bytes: Buffer;
	readonly #marks: readonly string[];
	/** Position of the next occurrence of each text; -1 if there is none. */
	readonly #nextPositions: number[];

	constructor(bytes: Buffer, marks: readonly string[]) {
		this.#bytes = bytes;
		this.#marks = marks;
		this.#nextPositions = marks.map((mark) => bytes.indexOf(mark));
	}

	/** Returns the position of the first occurrence at `position` or later; undefined if there is none. */
	findNext(position: number): number | undefined {
		let first: number | undefined;
		for (const [index, mark] of this.#marks.entries()) {
			let hit = this.#nextPositions[index] ?? -1;
			if (hit >= 0 && hit < position) {
				hit = this.#bytes.indexOf(mark, position);
				this.#nextPositions[index] = hit;
			}
			if (hit >= 0 && (first === undefined || hit < first)) first = hit;
		}
		return first;
	}
}

/** Parses the lines that contain one of the texts, and returns their records. */
function parseMarkedLines(bytes: Buffer, marks: readonly string[]): unknown[] {
	const result = { records: [], badLineCount: 0 };
	const search = new MarkSearch(bytes, marks);
	for (let hit = search.findNext(0); hit !== undefined; ) {
		const start = bytes.lastIndexOf(lineFeed, hit) + 1;
		const newline = bytes.indexOf(lineFeed, hit);
		const end = newline < 0 ? bytes.length : newline;
		addLineRecords(bytes.toString('utf8', start, end), result);
		hit = search.findNext(end + 1);
	}
	return result.records;
}

/** Reads files but parses only lines that contain certain texts. An instance reads one file at a time. */
export class MarkedLineReader {
	/** Buffer that is reused for each file, because large buffers are garbage-collected slowly. */
	readonly #chunk = Buffer.allocUnsafe(chunkBytes);

	/**
	 * Yields the records of the lines that contain one of the texts. Needs memory for one chunk of the file and at most one
	 * longer line.
	 */
	async *readRecords(
		handle: FileHandle,
		marks: readonly string[],
		signal?: AbortSignal,
	): AsyncGenerator<unknown[]> {
		let buffer = this.#chunk;
		let filledBytes = 0;
		let isInLongLine = false;
		for (let position = 0; ; ) {
			signal?.throwIfAborted();
			const { bytesRead } = await handle.read(buffer, filledBytes, buffer.length - filledBytes, position);
			position += bytesRead;
			filledBytes += bytesRead;
			const data = buffer.subarray(0, filledBytes);
			const last = bytesRead === 0 ? filledBytes : data.lastIndexOf(lineFeed) + 1;
			if (last > 0) {
				const first = isInLongLine ? data.indexOf(lineFeed) + 1 : 0;
				isInLongLine = false;
				yield parseMarkedLines(data.subarray(first, last), marks);
				data.copy(buffer, 0, last);
				filledBytes -= last;
			} else if (filledBytes >= maxLineBytes) {
				isInLongLine = true;
				filledBytes = 0;
			} else if (filledBytes === buffer.length) {
				buffer = Buffer.concat([buffer], Math.min(maxLineBytes, buffer.length * 2));
			}
			if (bytesRead === 0) return;
		}
	}
}
