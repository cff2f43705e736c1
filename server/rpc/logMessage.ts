import type { Writable } from 'node:stream';
import { logMessage } from '../protocol/lsp.ts';
import type { Logger } from '../session/ports.ts';
import type { ConnectedClient } from './call/client.ts';

/** LSP's `MessageType` of each level of the log; the most severe level has the lowest number. */
const messageTypesByLevel = { error: 1, warn: 2, info: 3, debug: 4 } as const;

export type LoggedLevel = keyof typeof messageTypesByLevel;

export interface ClientLogger extends Logger {
	/** Sends all later log messages also to the client. */
	attach(client: ConnectedClient): void;
	/** Drops messages less severe than `level`. */
	setLevel(level: LoggedLevel): void;
}

/** Matches characters that could move a terminal's cursor, or change its colour or text direction. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function escapeUnprintable(message: string): string {
	return message.replace(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns a logger of level `info` that writes to stderr and, once a client is attached, sends `window/logMessage`.
 * stdout is reserved for the protocol.
 * @param now time of a line; by default, the clock
 */
export function createLogger(stderr: Writable, now: () => Date = () => new Date()): ClientLogger {
	let level: LoggedLevel = 'info';
	let client: ConnectedClient | undefined;
	let isWritable = true;
	// A closed terminal must not stop the daemon.
	stderr.on('error', () => {
		isWritable = false;
	});

	function log(severity: LoggedLevel, message: string): void {
		if (messageTypesByLevel[severity] > messageTypesByLevel[level]) return;
		if (isWritable)
			stderr.write(`${now().toISOString()} ${severity.padEnd(5)} ${escapeUnprintable(message)}\n`);
		void client?.notify(logMessage, { type: messageTypesByLevel[severity], message });
	}

	return {
		error: (message) => log('error', message),
		warn: (message) => log('warn', message),
		info: (message) => log('info', message),
		debug: (message) => log('debug', message),
		attach(connectedClient) {
			client = connectedClient;
		},
		setLevel(newLevel) {
			level = newLevel;
		},
	};
}
