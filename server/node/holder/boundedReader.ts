/** Messages of another process, in bounded memory. */

import type { Socket } from 'node:net';
import { type MessageReader, StreamMessageReader } from 'vscode-jsonrpc/node';

/** Bytes of a call at most: the params of the longest frame that a client may send (256 MiB), and what goes with them. */
export const mostCallBytes = 257 * 2 ** 20;

/**
 * Reads the messages that come over a socket.
 * @param tooMuch called where more bytes than `most` came since the last message
 */
export function boundedReader(socket: Socket, most: number, tooMuch: () => void): MessageReader {
	const reader = new StreamMessageReader(socket);
	let bytes = 0;
	const count = (chunk: Buffer): void => {
		bytes += chunk.length;
		if (bytes > most) tooMuch();
	};
	return {
		onError: reader.onError,
		onClose: reader.onClose,
		onPartialMessage: reader.onPartialMessage,
		listen(callback) {
			socket.on('data', count);
			return reader.listen((message) => {
				bytes = 0;
				callback(message);
			});
		},
		dispose() {
			socket.off('data', count);
			reader.dispose();
		},
	};
}
