import { type LineRecords, lineSplitter, wholeValue, wholeValues } from '../../core/transcript/lines.ts';

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
	const splitter = lineSplitter();
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
	const finishLine = (head: Buffer): LineRecords => {
		const isLost = tooLong || waitingBytes + head.length > longestLine;
		const result = isLost
			? { records: [], badLines: 1 }
			: splitter.push(Buffer.concat([...waiting, head]).toString('utf8'));
		consumed += waitingBytes + head.length;
		waiting = [];
		waitingBytes = 0;
		tooLong = false;
		return result;
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
			const last = piece.lastIndexOf(lineFeed);
			if (last < 0) {
				keep(piece);
				return { records: [], badLines: 0 };
			}
			let result: LineRecords = { records: [], badLines: 0 };
			let from = 0;
			if (waitingBytes > 0) {
				from = piece.indexOf(lineFeed) + 1;
				result = finishLine(piece.subarray(0, from));
			}
			if (from <= last) {
				const { records, badLines } = splitter.push(piece.toString('utf8', from, last + 1));
				result = {
					records: result.records.length === 0 ? records : result.records.concat(records),
					badLines: result.badLines + badLines,
				};
				consumed += last + 1 - from;
			}
			keep(piece.subarray(last + 1));
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
