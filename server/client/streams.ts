/** The streams to a daemon that runs as a separate process or is reached through a relay in this process. */

import type { Readable, Writable } from 'node:stream';
import type { DaemonStreams } from './connection.ts';
import { ConnectionError } from './errors.ts';

/** The process or relay that serves a client. */
export interface Peer {
	/** The stream that the peer writes. */
	output: Readable;
	/** The stream that the peer reads. */
	input: Writable;
	/** The peer's log. */
	errors: Readable;
	/** Resolves with a message when the peer has ended; rejects if it could not start. */
	ended: Promise<string>;
	kill(): void;
}

/** Maximum UTF-16 units kept from the end of the log, which may explain a failure of the daemon. */
const maxLogUnits = 4096;
/** Milliseconds that the daemon has for an orderly end. */
const maxEndMs = 5000;
/** Matches characters that would break a one-line message or move a terminal's cursor. */
const unprintablePattern = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Reads a log. Returns a function that returns the last line that has arrived so far. */
function followLog(errors: Readable): () => string {
	let log = '';
	errors.setEncoding('utf8').on('data', (text: string) => {
		log = (log + text).slice(-maxLogUnits);
	});
	return () => {
		const line = log.trim().split('\n').at(-1) ?? '';
		return line
			.replace(/^contextd: /, '')
			.replace(unprintablePattern, ' ')
			.trim();
	};
}

export function createStreams({ output, input, errors, ended, kill }: Peer): DaemonStreams {
	const getLastLine = followLog(errors);
	let isEnding = false;
	let isKilled = false;
	let isGone = false;
	const exited = ended.then(
		(endDescription) => {
			isGone = true;
			if (isEnding) return;
			const lastError = getLastLine();
			throw new ConnectionError(lastError === '' ? endDescription : `${endDescription}: ${lastError}`);
		},
		(error: Error) => {
			isGone = true;
			throw new ConnectionError(`could not start the daemon: ${error.message}`);
		},
	);
	// Prevents an unhandled rejection if no caller waits. Callers that wait for an answer see the rejection.
	const lost = exited.then(() => new Promise<never>(() => {}));
	lost.catch(() => {});
	// A daemon that has ended breaks the pipe, which `lost` reports.
	input.on('error', () => {});

	const killNow = (): void => {
		isKilled = true;
		kill();
	};

	return {
		output,
		input,
		lost,
		kill: killNow,
		async end(farewell) {
			isEnding = true;
			if (isGone) return;
			const timer = setTimeout(killNow, maxEndMs);
			try {
				await Promise.race([isKilled ? exited : farewell(), exited]);
			} finally {
				input.end();
				await exited;
				clearTimeout(timer);
			}
		},
	};
}
