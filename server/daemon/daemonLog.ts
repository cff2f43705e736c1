/** The daemon's own log file in the state folder. */

import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isMissingFileError } from '../core/failure.ts';

/** Bytes at which the older half of the log is removed. */
const maxLogBytes = 1 << 20;

export function getDaemonLogPath(stateFolder: string): string {
	return join(stateFolder, 'daemon.log');
}

/**
 * Returns a stream that appends to the log. It writes synchronously, so that nothing is lost when the process dies.
 * Failed writes are ignored: there is no other place to report them.
 */
export function openDaemonLog(stateFolder: string): Writable {
	const path = getDaemonLogPath(stateFolder);
	return new Writable({
		write(chunk: Buffer, _, done) {
			try {
				dropOlderHalf(path);
				appendFileSync(path, chunk, { mode: 0o600 });
			} catch {
				// There is no other place to report this.
			}
			done();
		},
	});
}

function dropOlderHalf(path: string): void {
	try {
		if (statSync(path).size < maxLogBytes) return;
	} catch (error) {
		if (isMissingFileError(error)) return;
		throw error;
	}
	const text = readFileSync(path);
	const half = text.subarray(text.length - maxLogBytes / 2);
	writeFileSync(path, half.subarray(half.indexOf('\n') + 1));
}
