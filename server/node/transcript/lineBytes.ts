import {
	addLineRecords,
	type LineRecords,
	parseCompleteValue,
	parseCompleteValues,
} from '../../core/transcript/reading/lines.ts';

/** Maximum bytes of a line; longer ones are skipped, since they do not fit into a string. */
const maxLineBytes = 256 << 20;

const lineFeed = 0x0a;

/**
 * Splits bytes that arrive in pieces into the records of their lines.
 *
 * Linear in the bytes, whatever the length of lines; never splits a character. Between calls, the pending pieces are the
 * unfinished last line; a line that is too long keeps only its length.
 */
export class LineBytes {
	#pending: Buffer[] = [];
	#pendingBytes = 0;
	#isTooLong = false;
	#consumed = 0;

	/** Bytes of the lines that were returned. */
	get consumed(): number {
		return this.#consumed;
	}

	/** The records of all lines that are now complete. The piece may be reused afterwards. */
	push(piece: Buffer): LineRecords {
		const result: LineRecords = { records: [], badLines: 0 };
		let from = 0;
		for (let feed = piece.indexOf(lineFeed); feed >= 0; feed = piece.indexOf(lineFeed, from)) {
			this.#finishLine(piece.subarray(from, feed), result);
			from = feed + 1;
		}
		this.#store(piece.subarray(from));
		return result;
	}

	/** The complete values of an unfinished last line, which then count as read. */
	end(): LineRecords {
		if (this.#pendingBytes === 0 || this.#isTooLong) return { records: [], badLines: 0 };
		const bytes = Buffer.concat(this.#pending);
		const line = bytes.toString('utf8');
		const whole = parseCompleteValue(line);
		if (whole !== undefined) return this.#consume([whole.value], bytes, bytes.length);
		const { values, length } = parseCompleteValues(line);
		if (values.length === 0) return { records: [], badLines: 0 };
		const head = Buffer.from(line.slice(0, length));
		// Bytes that are not valid text were decoded to something else.
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

	/** Ends a line with its rest. Decodes each line alone: one non-ASCII character doubles the size of a whole text. */
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

	/** Returns records of the first pending bytes, and drops those bytes. */
	#consume(records: unknown[], pending: Buffer, bytes: number): LineRecords {
		const rest = pending.subarray(bytes);
		this.#consumed += bytes;
		this.#pending = rest.length > 0 ? [rest] : [];
		this.#pendingBytes = rest.length;
		return { records, badLines: 0 };
	}
}
