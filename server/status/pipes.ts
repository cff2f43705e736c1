/** The standard streams of the process, without loading Node's stream modules. */

import { fstatSync, readSync, writeSync } from 'node:fs';
import { errorCode } from '../core/failure.ts';

/** Maximum bytes of input: agents pass a few kilobytes. */
const maxInputBytes = 4 << 20;
/** Milliseconds to wait for more input from a non-blocking pipe. */
const pauseMs = 2;

/** Reads the standard input until it ends, at most 4 MiB. */
export function readInput(): string {
	const chunks: Buffer[] = [];
	let totalBytes = 0;
	while (totalBytes < maxInputBytes) {
		const chunk = Buffer.allocUnsafe(1 << 16);
		const readBytes = readChunk(chunk);
		if (readBytes === 0) break;
		if (readBytes !== undefined) chunks.push(chunk.subarray(0, readBytes));
		totalBytes += readBytes ?? 0;
	}
	return Buffer.concat(chunks).toString('utf8');
}

/** Reads once; returns the number of bytes: 0 at the end, undefined if none have arrived yet. */
function readChunk(chunk: Buffer): number | undefined {
	try {
		return readSync(0, chunk, 0, chunk.length, null);
	} catch (error) {
		// On Windows the end of a pipe is an error.
		if (errorCode(error) === 'EOF') return 0;
		if (errorCode(error) !== 'EAGAIN') throw error;
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
		return undefined;
	}
}

/** Writes the output; a closed pipe is not an error, because a new status line replaces an old one. */
export function writeOutput(text: string): void {
	if (text === '') return;
	try {
		writeSync(1, text);
	} catch (error) {
		if (errorCode(error) !== 'EPIPE') throw error;
	}
}

/** Whether the standard output is a terminal, judged by whether it is a character device. */
export function isTerminal(): boolean {
	return fstatSync(1).isCharacterDevice();
}
