import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LineShelf } from './journal/memoryJournal.ts';

/** UTF-16 units of texts that are kept in memory before any goes to the disk. */
const keptInMemory = 8 << 20;
/** Bytes that are written at once. */
const pieceBytes = 1 << 20;

/** A text, or where it begins in the file. */
type Place = string | number;
/** Bytes before each text that say how many it takes: an object for each text would take more memory than most texts. */
const lengthBytes = 4;

/**
 * A shelf for the texts of a session that is looked at once: beyond 8 Mi units they lie in a private file, which
 * leaves the folder at once where the system allows that, else when the shelf is cleared.
 */
export function scratchShelf(): LineShelf & { clear(): void } {
	const places = new Map<number, Place>();
	let units = 0;
	let scratch: ReturnType<typeof scratchFile> | undefined;
	return {
		set(offset, text) {
			units += text.length;
			if (units <= keptInMemory) {
				places.set(offset, text);
				return;
			}
			scratch ??= scratchFile();
			places.set(offset, scratch.append(text));
		},
		get(offset) {
			const place = places.get(offset);
			return typeof place === 'number' ? scratch?.read(place) : place;
		},
		clear() {
			places.clear();
			scratch?.remove();
		},
	};
}

/** A file without a name, written in large pieces. */
function scratchFile() {
	const folder = mkdtempSync(join(tmpdir(), 'contextd-'));
	const path = join(folder, 'texts');
	const file = openSync(path, 'wx+', 0o600);
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	if (process.platform !== 'win32') remove();
	const piece = Buffer.allocUnsafe(pieceBytes);
	let written = 0;
	let waiting = 0;
	const flush = (): void => {
		write(file, piece.subarray(0, waiting), written);
		written += waiting;
		waiting = 0;
	};
	return {
		append(text: string): number {
			const bytes = Buffer.byteLength(text);
			const offset = written + waiting;
			if (lengthBytes + bytes > pieceBytes - waiting) flush();
			waiting = piece.writeUInt32LE(bytes, waiting);
			if (lengthBytes + bytes <= pieceBytes) waiting += piece.write(text, waiting);
			else {
				flush();
				write(file, Buffer.from(text), written);
				written += bytes;
			}
			return offset;
		},
		read(offset: number): string {
			flush();
			const bytes = read(file, offset, lengthBytes).readUInt32LE();
			return read(file, offset + lengthBytes, bytes).toString('utf8');
		},
		remove() {
			closeSync(file);
			remove();
		},
	};
}

function read(file: number, offset: number, bytes: number): Buffer {
	const found = Buffer.allocUnsafe(bytes);
	for (let filled = 0; filled < bytes; ) {
		const more = readSync(file, found, filled, bytes - filled, offset + filled);
		if (more === 0) throw new RangeError('a text that was put aside is gone');
		filled += more;
	}
	return found;
}

function write(file: number, bytes: Buffer, offset: number): void {
	for (let from = 0; from < bytes.length; ) {
		from += writeSync(file, bytes, from, bytes.length - from, offset + from);
	}
}
