import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 1024 * 1024;

/** Copies the bytes [from, to) of one file to the place that the other one is at; fails where the first ends before. */
export async function copyStretch(
	source: FileHandle,
	target: FileHandle,
	{ from, to }: { from: number; to: number },
): Promise<void> {
	const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - from));
	for (let offset = from; offset < to; ) {
		const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - offset), offset);
		if (bytesRead === 0) throw new Error(`it ends at byte ${offset}`);
		await target.writeFile(buffer.subarray(0, bytesRead));
		offset += bytesRead;
	}
}
