import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 1 << 18;

/**
 * The bytes from `from` up to `to` (exclusive), in pieces that share one buffer.
 *
 * Use a piece before requesting the next. If the file shrinks, the bytes end early; bytes appended beyond `to` are not
 * read. Stops with the signal's reason.
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
		const wanted = Math.min(buffer.length, to - position);
		const { bytesRead } = await handle.read(buffer, 0, wanted, position);
		if (bytesRead === 0) return;
		position += bytesRead;
		yield buffer.subarray(0, bytesRead);
	}
}

/** The bytes from `from` up to `to`; fewer if the file ends earlier. */
export async function readBytes(handle: FileHandle, from: number, to: number): Promise<Buffer> {
	const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
	let filled = 0;
	for await (const piece of readByteChunks(handle, from, to)) filled += piece.copy(bytes, filled);
	return bytes.subarray(0, filled);
}
