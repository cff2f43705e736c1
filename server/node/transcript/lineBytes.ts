import { type LineRecords, readLine, wholeValue, wholeValues } from '../../core/transcript/reading/lines.ts';

/** Bytes of one line beyond which it is left out: longer ones do not fit into a string. */
const longestLine = 256 << 20;

const lineFeed = 0x0a;

/** Cuts bytes that arrive in pieces of any size into the records of their lines. */
export interface LineBytes {
	/** The records of all lines that are complete now. The piece may be used again afterwards. */
	push(piece: Buffer): LineRecords;
	/** What is whole already of the half-written last line; it then counts as read. */
	end(): LineRecords;
	/** Bytes of the lines that were handed out. */
	readonly consumed: number;
}

/** Linear in the bytes, whatever the length of lines; a character is never cut in two. */
export function lineBytes(): LineBytes {
	let waiting: Buffer[] = [];
	let waitingBytes = 0;
	let tooLong = false;
	let consumed = 0;

	const keep = (rest: Buffer): void => {
		if (rest.length === 0) return;
		waitingBytes += rest.length;
		if (waitingBytes > longestLine) {
			tooLong = true;
			waiting = [];
		} else if (!tooLong) waiting.push(Buffer.from(rest));
	};
	/** Takes a line whose rest that is. It is decoded alone: one letter that is not ASCII makes all of a text twice as large. */
	const finishLine = (rest: Buffer, result: LineRecords): void => {
		const length = waitingBytes + rest.length;
		if (tooLong || length > longestLine) result.badLines++;
		else readLine((waitingBytes > 0 ? Buffer.concat([...waiting, rest]) : rest).toString('utf8'), result);
		consumed += length + 1;
		waiting = [];
		waitingBytes = 0;
		tooLong = false;
	};

	/** The records of the first bytes that waited. */
	const taken = (records: unknown[], bytes: number): LineRecords => {
		const rest = Buffer.concat(waiting).subarray(bytes);
		consumed += bytes;
		waiting = rest.length > 0 ? [rest] : [];
		waitingBytes = rest.length;
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
			keep(piece.subarray(from));
			return result;
		},
		end() {
			if (waitingBytes === 0 || tooLong) return { records: [], badLines: 0 };
			const bytes = Buffer.concat(waiting);
			const line = bytes.toString('utf8');
			const whole = wholeValue(line);
			if (whole !== undefined) return taken([whole.value], bytes.length);
			const { values, length } = wholeValues(line);
			if (values.length === 0) return { records: [], badLines: 0 };
			const head = Buffer.from(line.slice(0, length));
			// Bytes that are no text were not read as they stand.
			if (!bytes.subarray(0, head.length).equals(head)) return { records: [], badLines: 0 };
			return taken(values, head.length);
		},
	};
}
