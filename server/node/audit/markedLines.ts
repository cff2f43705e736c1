import type { FileHandle } from 'node:fs/promises';
import { addLineRecords } from '../../core/transcript/reading/lines.ts';

/** Bytes that are searched at a time: about as many as fit into a processor's cache. */
const chunkBytes = 1 << 20;
/** Maximum bytes of a line; a longer one is an image or an output, and is skipped. */
const maxLineBytes = 64 << 20;

const lineFeed = 0x0a;

/** Finds the next occurrence of any of several texts in bytes. Each text is searched only once over all bytes. */
class MarkSearch {
	readonly #bytes: Buffer;
	readonly #marks: readonly string[];
	/** Position of the next occurrence of each text; -1 if there is none. */
	readonly #next: number[];

	constructor(bytes: Buffer, marks: readonly string[]) {
		this.#bytes = bytes;
		this.#marks = marks;
		this.#next = marks.map((mark) => bytes.indexOf(mark));
	}

	/** Returns the first occurrence from a position on; undefined if there is none. */
	from(position: number): number | undefined {
		let first: number | undefined;
		for (const [index, mark] of this.#marks.entries()) {
			let place = this.#next[index] ?? -1;
			if (place >= 0 && place < position) {
				place = this.#bytes.indexOf(mark, position);
				this.#next[index] = place;
			}
			if (place >= 0 && (first === undefined || place < first)) first = place;
		}
		return first;
	}
}

/** Returns the records of those lines in some bytes that contain one of the texts. */
function recordsIn(bytes: Buffer, marks: readonly string[]): unknown[] {
	const result = { records: [], badLines: 0 };
	const search = new MarkSearch(bytes, marks);
	for (let hit = search.from(0); hit !== undefined; ) {
		const start = bytes.lastIndexOf(lineFeed, hit) + 1;
		const feed = bytes.indexOf(lineFeed, hit);
		const end = feed < 0 ? bytes.length : feed;
		addLineRecords(bytes.toString('utf8', start, end), result);
		hit = search.from(end + 1);
	}
	return result.records;
}

/** Reads only the lines of files that contain certain texts. Reads one file at a time. */
export class MarkedLines {
	/** Shared by all files, because large buffers are garbage-collected slowly. */
	readonly #chunk = Buffer.allocUnsafe(chunkBytes);

	/**
	 * Yields the records of those lines of a file that contain one of the texts. Other lines are not parsed. Memory: one
	 * piece of the file, and at most one line beyond it.
	 */
	async *records(
		handle: FileHandle,
		marks: readonly string[],
		signal?: AbortSignal,
	): AsyncGenerator<unknown[]> {
		let buffer = this.#chunk;
		let filled = 0;
		let isInLongLine = false;
		for (let position = 0; ; ) {
			signal?.throwIfAborted();
			const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position);
			position += bytesRead;
			filled += bytesRead;
			const data = buffer.subarray(0, filled);
			const last = bytesRead === 0 ? filled : data.lastIndexOf(lineFeed) + 1;
			if (last > 0) {
				const first = isInLongLine ? data.indexOf(lineFeed) + 1 : 0;
				isInLongLine = false;
				yield recordsIn(data.subarray(first, last), marks);
				data.copy(buffer, 0, last);
				filled -= last;
			} else if (filled >= maxLineBytes) {
				isInLongLine = true;
				filled = 0;
			} else if (filled === buffer.length) {
				buffer = Buffer.concat([buffer], Math.min(maxLineBytes, buffer.length * 2));
			}
			if (bytesRead === 0) return;
		}
	}
}
