import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 1 << 18;

/**
 * Yields the bytes from `from` up to `to` (exclusive), in chunks that share one buffer.
 *
 * A chunk is valid only until the next is requested. If the file shrinks, the chunks end early; bytes appended beyond `to`
 * are not read. Throws the signal's reason if it is aborted.
 */
export async function* readByteChunks(
	handle: FileHandle,
	from: number,
	to: number,
	signal?: AbortSignal,
): AsyncGenerator<Buffer> {
	const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(1, to - from)));
	let position = from;
	while (position < to) {
		signal?.throwIfAborted();
		const wantedBytes = Math.min(buffer.length, to - position);
		const { bytesRead } = await handle.read(buffer, 0, wantedBytes, position);
		if (bytesRead === 0) return;
		position += bytesRead;
		yield buffer.subarray(0, bytesRead);
	}
}

/** Reads the bytes from `from` up to `to` (exclusive); fewer if the file ends earlier. */
export async function readBytes(handle: FileHandle, from: number, to: number): Promise<Buffer> {
	const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
	let filled = 0;
	while (filled < bytes.length) {
		const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return bytes.subarray(0, filled);
}

/** Like `readBytes`, but blocks. */
export function readBytesNow(file: number, from: number, to: number): Buffer {
	const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
	let filled = 0;
	while (filled < bytes.length) {
		const bytesRead = readSync(file, bytes, filled, bytes.length - filled, from + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return bytes.subarray(0, filled);
}
