/** The newest bytes of an open journal, in memory. */

import type { BodyRef } from '../../session/ports.ts';

/** Bytes of a journal kept in memory after they reached the disk, to restore a file that was truncated. */
export const maxJournalTailBytes = 1024 * 1024;

/** A contiguous part of a journal up to its end: all bytes not yet on disk, and some that are. */
export class JournalTail {
	/** Pieces by their offsets in the journal, in order. */
	private readonly pieces = new Map<number, Buffer>();
	/** End of the journal, in bytes. */
	end: number;

	/** @param bytes content of the journal from `offset` up to its end */
	constructor(offset: number, bytes: Buffer) {
		this.end = offset;
		this.append([bytes]);
	}

	/** Where the held bytes begin, in bytes from the start of the journal. */
	get start(): number {
		return this.pieces.keys().next().value ?? this.end;
	}

	/** Adds pieces, which are dropped as a whole. A body can be read if it is one piece, with its line end. */
	append(pieces: readonly Buffer[]): void {
		for (const piece of pieces) {
			if (piece.length > 0) this.pieces.set(this.end, piece);
			this.end += piece.length;
		}
	}

	/** Drops old bytes beyond the limit, but none from `durable` on, which are not on disk yet. */
	trim(durable: number): void {
		const limit = Math.min(durable, this.end - maxJournalTailBytes);
		for (const [offset, { length }] of this.pieces) {
			if (offset + length > limit) return;
			this.pieces.delete(offset);
		}
	}

	/** Drops all bytes from `end` on, where a piece ends. */
	cutAt(end: number): void {
		for (const offset of this.pieces.keys()) if (offset >= end) this.pieces.delete(offset);
		this.end = end;
	}

	/** The bytes up to `end`, which must be the end of a chunk. */
	until(end: number): Buffer[] {
		return [...this.pieces].flatMap(([offset, piece]) => (offset < end ? [piece] : []));
	}

	/** The text of a body; undefined if it is not in memory. */
	text({ offset, length }: BodyRef): string | undefined {
		const piece = this.pieces.get(offset);
		return piece?.length === length + 1 ? piece.toString('utf8', 0, length) : undefined;
	}
}
