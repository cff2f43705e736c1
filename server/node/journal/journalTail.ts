/** Holds the newest bytes of an open journal in memory. */

import type { BodyRef } from '../../session/ports.ts';

/** Bytes of a journal that stay in memory after they were written, to restore a truncated file. */
export const maxJournalTailBytes = 1024 * 1024;

/** The last bytes of a journal: all that are not on disk yet, and some that are. */
export class JournalTail {
	/** Pieces in order, by their offset in the journal. */
	private readonly pieces = new Map<number, Buffer>();
	/** End of the journal, in bytes. */
	end: number;

	/** @param bytes content of the journal from `offset` up to its end */
	constructor(offset: number, bytes: Buffer) {
		this.end = offset;
		this.append([bytes]);
	}

	/** Offset in the journal at which the bytes in memory begin. */
	get start(): number {
		return this.pieces.keys().next().value ?? this.end;
	}

	/** Appends pieces. Each is later dropped as a whole. A body can be read if its line is one piece. */
	append(pieces: readonly Buffer[]): void {
		for (const piece of pieces) {
			if (piece.length > 0) this.pieces.set(this.end, piece);
			this.end += piece.length;
		}
	}

	/** Drops the oldest bytes beyond the limit, but none from `durable` on, because these are not on disk yet. */
	trim(durable: number): void {
		const limit = Math.min(durable, this.end - maxJournalTailBytes);
		for (const [offset, { length }] of this.pieces) {
			if (offset + length > limit) return;
			this.pieces.delete(offset);
		}
	}

	/** Drops all bytes from `end` on; a piece must end there. */
	truncate(end: number): void {
		for (const offset of this.pieces.keys()) if (offset >= end) this.pieces.delete(offset);
		this.end = end;
	}

	/** Returns the bytes in memory up to `end`; a piece must end there. */
	listPiecesBefore(end: number): Buffer[] {
		return [...this.pieces].flatMap(([offset, piece]) => (offset < end ? [piece] : []));
	}

	/** Returns the text of a body; undefined if the body is not in memory. */
	readBody({ offset, length }: BodyRef): string | undefined {
		const piece = this.pieces.get(offset);
		return piece?.length === length + 1 ? piece.toString('utf8', 0, length) : undefined;
	}
}
