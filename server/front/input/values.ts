import { createElementSplitter } from './elements.ts';
import { createLineSplitter } from './lines.ts';
import { type ReadValue, readValue } from './message.ts';
import type { Complain, Splitter } from './splitter.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const OPEN_BRACKET = 0x5b;
const BLANK = new Set([0x20, 0x0a, 0x09, 0x0d]);

/** The same bytes without a byte order mark at their very beginning. */
async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let head: Buffer | undefined = Buffer.alloc(0);
	for await (const chunk of chunks) {
		if (!head) {
			yield chunk;
			continue;
		}
		head = Buffer.concat([head, chunk]);
		if (head.length < BYTE_ORDER_MARK.length) continue;
		yield head.subarray(0, 3).equals(BYTE_ORDER_MARK) ? head.subarray(3) : head;
		head = undefined;
	}
	if (head) yield head;
}

/**
 * The values of an input, a chunk's worth at a time: a JSON array, or JSON Lines. Fails with the line of what
 * cannot be read.
 */
export async function* readValues(
	chunks: AsyncIterable<Buffer>,
	complain: Complain,
): AsyncGenerator<ReadValue[]> {
	let splitter: Splitter | undefined;
	/** Chunks that are blank throughout: they count as lines once it is known how to read them. */
	let blanks: Buffer[] = [];
	for await (const chunk of withoutMark(chunks)) {
		if (!splitter) {
			const first = chunk.find((byte) => !BLANK.has(byte));
			if (first === undefined) {
				blanks.push(chunk);
				continue;
			}
			splitter = first === OPEN_BRACKET ? createElementSplitter(complain) : createLineSplitter(complain);
			for (const blank of blanks) splitter.take(blank);
			blanks = [];
		}
		yield splitter.take(chunk).map((piece) => readValue(piece, complain));
	}
	if (splitter) yield splitter.finish().map((piece) => readValue(piece, complain));
}
