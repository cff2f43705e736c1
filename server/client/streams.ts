/** The streams of a daemon, whether a process serves them or a relay in this one. */

import type { Readable, Writable } from 'node:stream';
import type { DaemonStreams } from './connection.ts';
import { ConnectionError } from './errors.ts';

/** What serves a client. */
export interface Peer {
	/** What it writes. */
	output: Readable;
	/** What it reads. */
	input: Writable;
	/** Its log. */
	errors: Readable;
	/** Resolves once it has ended, with words for that; rejects if it could not be started. */
	ended: Promise<string>;
	/** Ends it at once. */
	kill(): void;
}

/** UTF-16 units of the log that are kept in case the daemon fails. */
const maxKeptLog = 4096;
/** Milliseconds that the daemon has to end in order. */
const maxEndMs = 5000;
/** What would break one line of a message, or move a terminal's cursor. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Keeps the end of a log; returns a function that gives its last line. */
function lastLogLine(errors: Readable): () => string {
	let log = '';
	errors.setEncoding('utf8').on('data', (text: string) => {
		log = (log + text).slice(-maxKeptLog);
	});
	return () => {
		const line = log.trim().split('\n').at(-1) ?? '';
		return line
			.replace(/^contextd: /, '')
			.replace(unprintable, ' ')
			.trim();
	};
}

/** Returns the streams of what serves a client. */
export function streamsOf({ output, input, errors, ended, kill }: Peer): DaemonStreams {
	const lastLine = lastLogLine(errors);
	let isWanted = false;
	let isKilled = false;
	let isGone = false;
	const gone = ended.then(
		(how) => {
			isGone = true;
			if (isWanted) return;
			const why = lastLine();
			throw new ConnectionError(why === '' ? how : `${how}: ${why}`);
		},
		(error: Error) => {
			isGone = true;
			throw new ConnectionError(`the daemon could not be started: ${error.message}`);
		},
	);
	// A caller that waits for an answer hears of it; if none does, it is no failure.
	const lost = gone.then(() => new Promise<never>(() => {}));
	lost.catch(() => {});
	// A daemon that is gone breaks the pipe, and `lost` says that it is gone.
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
			isWanted = true;
			if (isGone) return;
			const timer = setTimeout(killNow, maxEndMs);
			try {
				await Promise.race([isKilled ? gone : farewell(), gone]);
			} finally {
				input.end();
				await gone;
				clearTimeout(timer);
			}
		},
	};
}
