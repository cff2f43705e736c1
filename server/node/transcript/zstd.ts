import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';

/** The first bytes of a Zstandard frame. */
const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** What a compressed file needs, as it is said to people. */
export const zstdNeeds = 'compressed with Zstandard, which Node.js reads from version 22.15 on';

export type Decompressor = () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>;

/** Whether a file is compressed with Zstandard, by its first bytes. */
export function startsLikeZstd(bytes: Buffer): boolean {
	return bytes.subarray(0, magic.length).equals(magic);
}

/** Node's own decompressor; undefined where this version of Node has none. */
export function zstdDecompressor(): Decompressor | undefined {
	return (zlib as { createZstdDecompress?: Decompressor }).createZstdDecompress;
}

/** The first bytes of what a file holds, at least that many if it has them; undefined without a decompressor. */
export async function decompressedStart(path: string, bytes: number): Promise<Buffer | undefined> {
	const stream = zstdDecompressor()?.();
	if (stream === undefined) return undefined;
	const file = createReadStream(path);
	const piped = pipeline(file, stream);
	// Whoever reads the stream hears of a failure there.
	piped.catch(() => undefined);
	const pieces: Buffer[] = [];
	let filled = 0;
	try {
		for await (const piece of stream) {
			pieces.push(piece);
			filled += piece.length;
			if (filled >= bytes) break;
		}
	} finally {
		file.destroy();
	}
	return Buffer.concat(pieces);
}
