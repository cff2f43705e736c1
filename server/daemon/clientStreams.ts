/** The streams of one client's conversation, over its socket. */

import type { Socket } from 'node:net';
import { Writable } from 'node:stream';

/** A client is disconnected if more than `maxBytes` are queued and it has read nothing for `stallMs`. */
const stallLimits = [
	{ maxBytes: 8 << 20, stallMs: 30_000 },
	{ maxBytes: 256 << 20, stallMs: 2_000 },
];

/**
 * The output of a conversation. Writes one chunk at a time to the socket, to notice a client that stopped reading.
 * Ends the socket when it ends, and is destroyed when the socket closes.
 */
export class ClientOutput extends Writable {
	readonly #socket: Socket;
	#lastProgressAt = 0;

	constructor(socket: Socket) {
		super({ decodeStrings: false });
		this.#socket = socket;
		socket.on('close', () => this.destroy());
	}

	override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#lastProgressAt = performance.now();
		this.#socket.write(chunk, (error) => {
			this.#lastProgressAt = performance.now();
			done(error);
		});
	}

	override _final(done: () => void): void {
		this.#socket.end();
		done();
	}

	/** Whether the client has stopped reading although much is queued: 8 MiB for 30 s, or 256 MiB for 2 s. */
	isStuck(): boolean {
		const stalledMs = performance.now() - this.#lastProgressAt;
		return stallLimits.some(({ maxBytes, stallMs }) => this.writableLength > maxBytes && stalledMs > stallMs);
	}
}

/** Returns a stream that sends each text. Texts written before `attach` is called wait for the call. */
export function createLogStream(): { stream: Writable; attach(send: (text: string) => void): void } {
	let send = (_: string): void => {};
	const stream = new Writable({
		write(chunk: Buffer, _, done) {
			send(chunk.toString('utf8'));
			done();
		},
	});
	stream.cork();
	return {
		stream,
		attach(next) {
			send = next;
			stream.uncork();
		},
	};
}
