import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBytesNow } from './disk/readBytes.ts';
import type { LineStorage } from './journal/memoryJournal.ts';

/** Once this many UTF-16 units are in memory, further texts are written to disk. */
const maxMemoryUnits = 8 << 20;
const bufferBytes = 1 << 20;

/** A text in memory, or the offset of a text in the file. */
type TextLocation = string | number;
/** Size in bytes of the length prefix before each text in the file. */
const lengthBytes = 4;

/**
 * Creates storage for the texts of a session that is read once.
 *
 * After 8 Mi units in memory, further texts go to a private file. The file is unlinked at once if the system allows that, else
 * when the storage is cleared.
 */
export function createScratchTextStore(): LineStorage & { clear(): void } {
	const locations = new Map<number, TextLocation>();
	let units = 0;
	let scratch: ReturnType<typeof createScratchFile> | undefined;
	return {
		set(offset, text) {
			units += text.length;
			if (units <= maxMemoryUnits) {
				locations.set(offset, text);
				return;
			}
			scratch ??= createScratchFile();
			locations.set(offset, scratch.append(text));
		},
		get(offset) {
			const location = locations.get(offset);
			return typeof location === 'number' ? scratch?.read(location) : location;
		},
		clear() {
			locations.clear();
			scratch?.remove();
		},
	};
}

/** Creates a nameless file that is written in large pieces. */
function createScratchFile() {
	const folder = mkdtempSync(join(tmpdir(), 'contextd-'));
	const path = join(folder, 'texts');
	const file = openSync(path, 'wx+', 0o600);
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	if (process.platform !== 'win32') remove();
	const buffer = Buffer.allocUnsafe(bufferBytes);
	let writtenBytes = 0;
	let pendingBytes = 0;
	const flush = (): void => {
		writeFully(file, buffer.subarray(0, pendingBytes), writtenBytes);
		writtenBytes += pendingBytes;
		pendingBytes = 0;
	};
	return {
		append(text: string): number {
			const bytes = Buffer.byteLength(text);
			const offset = writtenBytes + pendingBytes;
			if (lengthBytes + bytes > bufferBytes - pendingBytes) flush();
			pendingBytes = buffer.writeUInt32LE(bytes, pendingBytes);
			if (lengthBytes + bytes <= bufferBytes) pendingBytes += buffer.write(text, pendingBytes);
			else {
				flush();
				writeFully(file, Buffer.from(text), writtenBytes);
				writtenBytes += bytes;
			}
			return offset;
		},
		read(offset: number): string {
			flush();
			const bytes = readFully(file, offset, lengthBytes).readUInt32LE();
			return readFully(file, offset + lengthBytes, bytes).toString('utf8');
		},
		remove() {
			closeSync(file);
			remove();
		},
	};
}

function readFully(file: number, offset: number, length: number): Buffer {
	const bytes = readBytesNow(file, offset, offset + length);
	if (bytes.length < length) throw new RangeError('a text in the scratch file is missing');
	return bytes;
}

function writeFully(file: number, bytes: Buffer, offset: number): void {
	for (let from = 0; from < bytes.length; )
		from += writeSync(file, bytes, from, bytes.length - from, offset + from);
}
