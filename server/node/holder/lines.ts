/** The lines of JSON that two processes exchange before they trust each other: few, short and soon. */

import type { Socket } from 'node:net';
import { isFields } from '../../core/shape.ts';

/** Bytes that the other end may send before it has proven itself. */
export const mostHelloBytes = 4096;

const newline = 0x0a;

/** Why the other end is not talked to. */
export class HandshakeError extends Error {
	/** The connection ended before anything was wrong with it. */
	readonly isLost: boolean;

	constructor(reason: string, isLost = false) {
		super(reason);
		this.name = 'HandshakeError';
		this.isLost = isLost;
	}
}

export interface HelloLines {
	send(value: object): void;
	/** The next line of the other end, an object. Rejects with `HandshakeError`. */
	next(): Promise<Record<string, unknown>>;
	/** Leaves the socket as it is, with what came behind the last line still to be read. */
	release(): void;
}

/** Lines over a socket, of so many bytes in all and within so many milliseconds from now on. */
export function helloLines(socket: Socket, milliseconds: number): HelloLines {
	let bytes = Buffer.alloc(0);
	let taken = 0;
	let wake: () => void = () => undefined;
	let failure: HandshakeError | undefined;
	const fail = (reason: string, isLost = false): void => {
		failure ??= new HandshakeError(reason, isLost);
		wake();
	};
	const onData = (chunk: Buffer): void => {
		bytes = Buffer.concat([bytes, chunk]);
		// What follows the last line is no business of the handshake, and not judged by it.
		if (!bytes.includes(newline) && taken + bytes.length > mostHelloBytes) fail('it sent too much');
		wake();
	};
	const onEnd = (): void => fail('it closed the connection', true);
	const timer = setTimeout(() => fail('it took too long'), milliseconds);
	socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);

	return {
		send: (value) => void socket.write(`${JSON.stringify(value)}\n`),
		async next() {
			for (;;) {
				const end = bytes.indexOf(newline);
				if (end >= 0 && taken + end <= mostHelloBytes) {
					const line = bytes.toString('utf8', 0, end);
					bytes = bytes.subarray(end + 1);
					taken += end + 1;
					return objectIn(line);
				}
				if (end >= 0) fail('it sent too much');
				if (failure) throw failure;
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		},
		release() {
			clearTimeout(timer);
			socket.off('data', onData).off('end', onEnd).off('close', onEnd);
			socket.pause();
			if (bytes.length > 0) socket.unshift(bytes);
		},
	};
}

function objectIn(line: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(line);
		if (isFields(value)) return value;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw new HandshakeError('it speaks another language');
}
