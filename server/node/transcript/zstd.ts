import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { Decompress, decompress } from 'fzstd';

/** The first bytes of a Zstandard frame. */
const frameMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

type Decompressor = () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>;

/** Whether the first bytes of a file are those of a Zstandard frame. */
export function startsLikeZstd(bytes: Uint8Array): boolean {
	return frameMagic.every((byte, index) => bytes[index] === byte);
}

/** Yields the content of a compressed file in pieces. Uses a library if this version of Node has no decompressor. */
export function decompressFile(path: string): AsyncGenerator<Buffer> {
	const builtIn = (zlib as { createZstdDecompress?: Decompressor }).createZstdDecompress;
	return builtIn ? decompressWithNode(path, builtIn) : decompressWithLibrary(path);
}

async function* decompressWithNode(path: string, createStream: Decompressor): AsyncGenerator<Buffer> {
	const file = createReadStream(path);
	const stream = createStream();
	const piped = pipeline(file, stream);
	// The reader of the stream gets the same error from the stream.
	piped.catch(() => undefined);
	try {
		yield* stream;
	} finally {
		file.destroy();
	}
}

async function* decompressWithLibrary(path: string): AsyncGenerator<Buffer> {
	let readyChunks: Buffer[] = [];
	const stream = new Decompress((piece) => void readyChunks.push(Buffer.from(piece)));
	for await (const chunk of createReadStream(path)) {
		stream.push(chunk);
		yield* readyChunks;
		readyChunks = [];
	}
	stream.push(new Uint8Array(0), true);
	yield* readyChunks;
}

/** Returns at least the first `bytes` of a compressed file's content, or all of a shorter content. */
export async function decompressStart(path: string, bytes: number): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let filled = 0;
	for await (const piece of decompressFile(path)) {
		pieces.push(piece);
		filled += piece.length;
		if (filled >= bytes) break;
	}
	return Buffer.concat(pieces);
}

export async function decompressBytes(bytes: Uint8Array): Promise<Uint8Array> {
	const builtIn = (zlib as { zstdDecompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdDecompressSync;
	return builtIn ? builtIn(bytes) : decompress(bytes);
}
