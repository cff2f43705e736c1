import {
	addLineRecords,
	type LineRecords,
	parseCompleteValue,
	parseCompleteValues,
} from '../../core/transcript/index.ts';

/** Maximum bytes of a line. Longer lines are skipped, because they do not fit into a string. */
const maxLineBytes = 256 << 20;

const lineFeed = 0x0a;

/**
 * Converts bytes that arrive in pieces to the records of their lines. Linear in the bytes, however long lines are; never splits a
 * character.
 *
 * Between calls, `#pending` has the pieces of the unfinished last line, or none if that line is too long.
 */
export class LineBytes {
	#pending: Buffer[] = [];
	#pendingBytes = 0;
	#isTooLong = false;
	#consumed = 0;

	/** Number of bytes in the lines that were returned. */
	get consumedBytes(): number {
		return this.#consumed;
	}

	/** Adds a piece; returns the records of all lines that are complete now. The caller may reuse the buffer. */
	push(piece: Buffer): LineRecords {
		const result: LineRecords = { records: [], badLines: 0 };
		let from = 0;
		for (let newline = piece.indexOf(lineFeed); newline >= 0; newline = piece.indexOf(lineFeed, from)) {
			this.#finishLine(piece.subarray(from, newline), result);
			from = newline + 1;
		}
		this.#store(piece.subarray(from));
		return result;
	}

	/** Returns the complete values of an unfinished last line, which then count as read. */
	end(): LineRecords {
		if (this.#pendingBytes === 0 || this.#isTooLong) return { records: [], badLines: 0 };
		const bytes = Buffer.concat(this.#pending);
		const line = bytes.toString('utf8');
		const complete = parseCompleteValue(line);
		if (complete !== undefined) return this.#consume([complete.value], bytes, bytes.length);
		const { values, length } = parseCompleteValues(line);
		if (values.length === 0) return { records: [], badLines: 0 };
		const head = Buffer.from(line.slice(0, length));
		// If the bytes are not valid text, their number cannot be computed from the decoded text.
		if (!bytes.subarray(0, head.length).equals(head)) return { records: [], badLines: 0 };
		return this.#consume(values, bytes, head.length);
	}

	#store(rest: Buffer): void {
		if (rest.length === 0) return;
		this.#pendingBytes += rest.length;
		if (this.#pendingBytes > maxLineBytes) {
			this.#isTooLong = true;
			this.#pending = [];
		} else if (!this.#isTooLong) this.#pending.push(Buffer.from(rest));
	}

	/** Ends a line. Decodes lines one by one, because a single non-ASCII character doubles the memory of a whole text. */
	#finishLine(rest: Buffer, result: LineRecords): void {
		const length = this.#pendingBytes + rest.length;
		if (this.#isTooLong || length > maxLineBytes) result.badLines++;
		else {
			const line = this.#pendingBytes > 0 ? Buffer.concat([...this.#pending, rest]) : rest;
			addLineRecords(line.toString('utf8'), result);
		}
		this.#consumed += length + 1;
		this.#pending = [];
		this.#pendingBytes = 0;
		this.#isTooLong = false;
	}

	/** Drops the first `bytes` of the pending ones, and returns their records. */
	#consume(records: unknown[], pending: Buffer, bytes: number): LineRecords {
		const rest = pending.subarray(bytes);
		this.#consumed += bytes;
		this.#pending = rest.length > 0 ? [rest] : [];
		this.#pendingBytes = rest.length;
		return { records, badLines: 0 };
	}
}
