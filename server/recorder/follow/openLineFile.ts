/** An open file of lines, and the check whether it still contains what was read before. */

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, type Stats } from 'node:fs';
import { readBytesNow } from '../../node/disk/readBytes.ts';
import { isTimeSettled, readOnlyFlags } from '../../node/transcript/openFile.ts';

/** This many bytes before the position and at the start of the file must be unchanged. */
const digestedBytes = 512;

/** How far a file was read. The archive stores this as JSON. */
export interface LinePosition {
	/** Device and inode number of the file. */
	identity: string;
	/** Bytes of the lines that are in the archive. */
	offset: number;
	/** Digest of the bytes right before the offset. */
	print: string;
	/** Digest of the bytes at the start of the file. */
	head: string;
	/** Size of the file when this position was recorded, in bytes. */
	size: number;
	/** Time of the file's last change when this position was recorded, in milliseconds since the epoch. */
	mtimeMs: number;
	/** Whether `mtimeMs` was so long ago that a later change would have a different time. */
	isSettled: boolean;
}

/** A file of lines that is open for reading. All calls block. */
export class OpenLineFile {
	readonly #handle: number;

	constructor(path: string) {
		this.#handle = openSync(path, readOnlyFlags);
	}

	readStats(): Stats {
		return fstatSync(this.#handle);
	}

	close(): void {
		closeSync(this.#handle);
	}

	/** Reads the bytes of a range; fewer if the file ends earlier. */
	read(from: number, to: number): Buffer {
		return readBytesNow(this.#handle, from, to);
	}

	describePosition(offset: number, { dev, ino, size, mtimeMs }: Stats): LinePosition {
		const [print, head] = this.#computeDigestsAt(offset);
		return {
			identity: `${dev}:${ino}`,
			offset,
			print,
			head,
			size,
			mtimeMs,
			isSettled: isTimeSettled(mtimeMs),
		};
	}

	/** Whether the bytes that were read up to the position are probably unchanged. */
	hasSameStart(position: LinePosition, { size, mtimeMs }: Stats): boolean {
		const { offset, print, head } = position;
		if (size < offset) return false;
		// An append makes the file longer: a new time with the same size means that it was rewritten.
		if (size === position.size && mtimeMs !== position.mtimeMs && size === offset) return false;
		const [printNow, headNow] = this.#computeDigestsAt(offset);
		return printNow === print && headNow === head;
	}

	/** Returns digests of the bytes before an offset and at the start. Digests, because a user may want the bytes erased. */
	#computeDigestsAt(offset: number): [print: string, head: string] {
		const print = this.read(Math.max(0, offset - digestedBytes), offset);
		return [computeDigest(print), computeDigest(this.read(0, Math.min(offset, digestedBytes)))];
	}
}

/** Whether a file certainly has not changed since the position was recorded. */
export function isUnchangedSince(position: Partial<LinePosition>, stats: Stats): boolean {
	return (
		position.isSettled === true &&
		position.identity === `${stats.dev}:${stats.ino}` &&
		position.size === stats.size &&
		position.mtimeMs === stats.mtimeMs
	);
}

function computeDigest(bytes: Buffer): string {
	return createHash('sha256').update(bytes).digest('base64');
}
