/** The newest bytes of an open journal, in memory. */

import type { BodyRef } from '../../session/ports.ts';

/** Bytes of a journal that stay in memory after they reached the disk, so that a file that was cut can be completed. */
export const maxHeldBytes = 1024 * 1024;

interface Piece {
	/** Bytes from the start of the journal. */
	offset: number;
	bytes: Buffer;
}

/** A contiguous part of a journal up to its end: all that is not on disk yet, and some of what is. */
export class HeldBytes {
	private readonly pieces: Piece[];
	/** Where the journal ends, in bytes. */
	end: number;

	/** @param bytes what the journal holds from `offset` on, up to its end */
	constructor(offset: number, bytes: Buffer) {
		this.pieces = bytes.length > 0 ? [{ offset, bytes }] : [];
		this.end = offset + bytes.length;
	}

	/** Where the bytes begin that are held, in bytes from the start of the journal. */
	get start(): number {
		return this.pieces[0]?.offset ?? this.end;
	}

	append(bytes: Buffer): void {
		if (bytes.length === 0) return;
		this.pieces.push({ offset: this.end, bytes });
		this.end += bytes.length;
	}

	/** Forgets old bytes beyond the limit, but none from `durable` on: these are not on disk yet. */
	trim(durable: number): void {
		const limit = Math.min(durable, this.end - maxHeldBytes);
		const first = this.pieces.findIndex(({ offset, bytes }) => offset + bytes.length > limit);
		if (first > 0) this.pieces.splice(0, first);
	}

	/** Forgets all bytes from `end` on. */
	cutAt(end: number): void {
		while ((this.pieces.at(-1)?.offset ?? -1) >= end) this.pieces.pop();
		this.end = end;
	}

	/** The bytes of [from, to), as far as they are held. Both are ends of appended pieces. */
	slice(from: number, to: number): Buffer[] {
		return this.pieces
			.slice(this.indexOf(from))
			.filter(({ offset }) => offset < to)
			.map(({ bytes }) => bytes);
	}

	/** The bytes of a body; undefined if they are not held. */
	body({ offset, length }: BodyRef): Buffer | undefined {
		const piece = this.pieces[this.indexOf(offset)];
		if (piece === undefined || offset < piece.offset) return undefined;
		const from = offset - piece.offset;
		return from + length < piece.bytes.length ? piece.bytes.subarray(from, from + length) : undefined;
	}

	/** The index of the piece that holds the byte at an offset; 0 if none does. */
	private indexOf(offset: number): number {
		let low = 0;
		let high = this.pieces.length;
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if (this.pieces[middle]!.offset <= offset) low = middle;
			else high = middle;
		}
		return low;
	}
}
