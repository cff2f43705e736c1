import {
	addLineRecords,
	type LineRecords,
	parseCompleteValue,
	parseCompleteValues,
} from '../../core/transcript/index.ts';
import { RawLines } from './rawLines.ts';

/** Maximum bytes of a line. Longer lines are skipped, because they do not fit into a string. */
const maxLineBytes = 256 << 20;

/** Converts bytes that arrive in pieces to the records of their lines. Linear in the bytes; never splits a character. */
export class LineBytes {
	readonly #lines = new RawLines(maxLineBytes);

	/** Number of bytes in the lines that were returned. */
	get consumedBytes(): number {
		return this.#lines.consumedBytes;
	}

	/** Adds a piece; returns the records of all lines that are complete now. The caller may reuse the buffer. */
	push(piece: Buffer): LineRecords {
		const skippedBefore = this.#lines.skippedLines;
		const result: LineRecords = { records: [], badLineCount: 0 };
		for (const line of this.#lines.push(piece)) addLineRecords(line, result);
		result.badLineCount += this.#lines.skippedLines - skippedBefore;
		return result;
	}

	/** Returns the complete values of an unfinished last line, which then count as read. */
	end(): LineRecords {
		const bytes = this.#lines.peekUnfinished();
		if (bytes === undefined) return { records: [], badLineCount: 0 };
		const line = bytes.toString('utf8');
		const complete = parseCompleteValue(line);
		if (complete !== undefined) return this.#consume([complete.value], bytes, bytes.length);
		const { values, length } = parseCompleteValues(line);
		if (values.length === 0) return { records: [], badLineCount: 0 };
		const head = Buffer.from(line.slice(0, length));
		// If the bytes are not valid UTF-8, the decoded text does not show how many bytes its values take.
		if (!bytes.subarray(0, head.length).equals(head)) return { records: [], badLineCount: 0 };
		return this.#consume(values, bytes, head.length);
	}

	/** Drops the first `count` bytes of the unfinished line, and returns their records. */
	#consume(records: unknown[], unfinished: Buffer, count: number): LineRecords {
		this.#lines.consumeUnfinished(unfinished, count);
		return { records, badLineCount: 0 };
	}
}
