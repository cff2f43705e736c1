import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BodyShelf } from './journal/memoryJournal.ts';

/** UTF-16 units of texts that are kept in memory before any goes to the disk. */
const keptInMemory = 32 << 20;
/** Bytes that are written at once. */
const pieceBytes = 1 << 20;

/** Where a text lies: in memory, or so many bytes of the file. */
type Place = string | { offset: number; bytes: number };

/**
 * A shelf for the texts of a session that is looked at once: beyond 32 Mi units they lie in a private file, which
 * leaves the folder at once where the system allows that, else when the shelf is cleared.
 */
export function scratchShelf(): BodyShelf & { clear(): void } {
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
			return typeof place === 'object' ? scratch?.read(place.offset, place.bytes) : place;
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
		append(text: string) {
			const bytes = Buffer.byteLength(text);
			const offset = written + waiting;
			if (bytes > pieceBytes - waiting) flush();
			if (bytes <= pieceBytes) waiting += piece.write(text, waiting);
			else {
				write(file, Buffer.from(text), written);
				written += bytes;
			}
			return { offset, bytes };
		},
		read(offset: number, bytes: number): string {
			flush();
			const read = Buffer.allocUnsafe(bytes);
			for (let filled = 0; filled < bytes; ) {
				const more = readSync(file, read, filled, bytes - filled, offset + filled);
				if (more === 0) throw new RangeError('a text that was put aside is gone');
				filled += more;
			}
			return read.toString('utf8');
		},
		remove() {
			closeSync(file);
			remove();
		},
	};
}

function write(file: number, bytes: Buffer, offset: number): void {
	for (let from = 0; from < bytes.length; ) {
		from += writeSync(file, bytes, from, bytes.length - from, offset + from);
	}
}
