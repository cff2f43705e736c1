import { type LineRecords, readLine, wholeValue, wholeValues } from '../../core/transcript/reading/lines.ts';

/** Maximum bytes of a line; longer ones are skipped, since they do not fit into a string. */
const maxLineBytes = 256 << 20;

const lineFeed = 0x0a;

/** Splits bytes that arrive in pieces into the records of their lines. */
export interface LineBytes {
	/** The records of all lines that are now complete. The piece may be reused afterwards. */
	push(piece: Buffer): LineRecords;
	/** The complete values of an unfinished last line, which then count as read. */
	end(): LineRecords;
	/** Bytes of the lines that were returned. */
	readonly consumed: number;
}

/** Creates a splitter. Linear in the bytes, whatever the length of lines; never splits a character. */
export function lineBytes(): LineBytes {
	let pending: Buffer[] = [];
	let pendingBytes = 0;
	let tooLong = false;
	let consumed = 0;

	const store = (rest: Buffer): void => {
		if (rest.length === 0) return;
		pendingBytes += rest.length;
		if (pendingBytes > maxLineBytes) {
			tooLong = true;
			pending = [];
		} else if (!tooLong) pending.push(Buffer.from(rest));
	};
	/** Ends a line with its rest. Decodes each line alone: one non-ASCII character doubles the size of a whole text. */
	const finishLine = (rest: Buffer, result: LineRecords): void => {
		const length = pendingBytes + rest.length;
		if (tooLong || length > maxLineBytes) result.badLines++;
		else readLine((pendingBytes > 0 ? Buffer.concat([...pending, rest]) : rest).toString('utf8'), result);
		consumed += length + 1;
		pending = [];
		pendingBytes = 0;
		tooLong = false;
	};

	/** Returns records of the first pending bytes, and drops those bytes. */
	const consume = (records: unknown[], bytes: number): LineRecords => {
		const rest = Buffer.concat(pending).subarray(bytes);
		consumed += bytes;
		pending = rest.length > 0 ? [rest] : [];
		pendingBytes = rest.length;
		return { records, badLines: 0 };
	};

	return {
		get consumed() {
			return consumed;
		},
		push(piece) {
			const result: LineRecords = { records: [], badLines: 0 };
			let from = 0;
			for (let feed = piece.indexOf(lineFeed); feed >= 0; feed = piece.indexOf(lineFeed, from)) {
				finishLine(piece.subarray(from, feed), result);
				from = feed + 1;
			}
			store(piece.subarray(from));
			return result;
		},
		end() {
			if (pendingBytes === 0 || tooLong) return { records: [], badLines: 0 };
			const bytes = Buffer.concat(pending);
			const line = bytes.toString('utf8');
			const whole = wholeValue(line);
			if (whole !== undefined) return consume([whole.value], bytes.length);
			const { values, length } = wholeValues(line);
			if (values.length === 0) return { records: [], badLines: 0 };
			const head = Buffer.from(line.slice(0, length));
			// Bytes that are not valid text were decoded to something else.
			if (!bytes.subarray(0, head.length).equals(head)) return { records: [], badLines: 0 };
			return consume(values, head.length);
		},
	};
}
