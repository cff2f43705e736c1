import type { CommandFailure } from '../failure.ts';

/** The text of one JSON value with the line of the input that it begins on, from 1. */
export interface Piece {
	text: string;
	line: number;
}

/** Takes an input apart into its JSON values as its bytes come in; linear in time, holding one value at most. */
export interface Splitter {
	/** The values that these bytes complete. */
	take(bytes: Buffer): Piece[];
	/** What is left at the end of the input; fails where the input ends too soon. */
	finish(): Piece[];
}

/** The failure for a line of the input (from 1, absent for the input as a whole) that cannot be used. */
export type Complain = (problem: string, line?: number, column?: number) => CommandFailure;

/** Bytes that one message may have: what fits a frame of the daemon's protocol, with room for what surrounds it. */
const LARGEST_PIECE = 250 * 1024 * 1024;

/** Collects the bytes of one value over chunks. */
interface PieceBuffer {
	/** Fails where the value becomes too large to be sent. */
	add(bytes: Buffer, line: number): void;
	/** The text so far; the buffer is empty afterwards. */
	release(): string;
}

export function createPieceBuffer(complain: Complain): PieceBuffer {
	let chunks: Buffer[] = [];
	let size = 0;
	return {
		add(bytes, line) {
			if (bytes.length === 0) return;
			size += bytes.length;
			if (size > LARGEST_PIECE) {
				throw complain(`the message is larger than ${LARGEST_PIECE / 1024 / 1024} MiB`, line);
			}
			chunks.push(bytes);
		},
		release() {
			const text = chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks).toString('utf8');
			chunks = [];
			size = 0;
			return text;
		},
	};
}
