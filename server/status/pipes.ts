/** The process's own pipes, without the streams that Node would have to load for them. */

import { fstatSync, readSync, writeSync } from 'node:fs';
import { errorCode } from '../core/failure.ts';

/** Bytes that are taken at most: what an agent hands over is a few kilobytes. */
const mostInput = 4 << 20;
/** Milliseconds to wait for more from a pipe that does not make its reader wait. */
const pauseMs = 2;

/** All that comes on the standard input until it ends, at most 4 MiB. */
export function readInput(): string {
	const pieces: Buffer[] = [];
	let bytes = 0;
	while (bytes < mostInput) {
		const piece = Buffer.allocUnsafe(1 << 16);
		const read = readSome(piece);
		if (read === 0) break;
		if (read !== undefined) pieces.push(piece.subarray(0, read));
		bytes += read ?? 0;
	}
	return Buffer.concat(pieces).toString('utf8');
}

/** Bytes that were read: 0 at the end, undefined where there are none yet. */
function readSome(piece: Buffer): number | undefined {
	try {
		return readSync(0, piece, 0, piece.length, null);
	} catch (error) {
		// On Windows the end of a pipe is an error.
		if (errorCode(error) === 'EOF') return 0;
		if (errorCode(error) !== 'EAGAIN') throw error;
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
		return undefined;
	}
}

/** Writes one line; a reader that left, as a status line's does when the next one is due, is no failure. */
export function writeOutput(text: string): void {
	if (text === '') return;
	try {
		writeSync(1, text);
	} catch (error) {
		if (errorCode(error) !== 'EPIPE') throw error;
	}
}

/** Whether the standard output is a terminal, as near as a device that takes characters is one. */
export function isTerminal(): boolean {
	return fstatSync(1).isCharacterDevice();
}
