import { type Complain, createPieceBuffer, type Piece, type Splitter } from './splitter.ts';

const LINE_FEED = 0x0a;

/** JSON Lines: every line that is not blank is a value. */
export function createLineSplitter(complain: Complain): Splitter {
	const buffer = createPieceBuffer(complain);
	let line = 1;

	function endLine(pieces: Piece[]): void {
		const text = buffer.release();
		if (text.trim() !== '') pieces.push({ text, line });
	}

	return {
		take(bytes) {
			const pieces: Piece[] = [];
			let start = 0;
			for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
				buffer.add(bytes.subarray(start, end), line);
				endLine(pieces);
				start = end + 1;
				line++;
			}
			buffer.add(bytes.subarray(start), line);
			return pieces;
		},
		finish() {
			const pieces: Piece[] = [];
			endLine(pieces);
			return pieces;
		},
	};
}
