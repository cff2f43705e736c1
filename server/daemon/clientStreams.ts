/** The streams of one client's conversation, over its socket. */

import type { Socket } from 'node:net';
import { Writable } from 'node:stream';

/** Disconnect a client that has read nothing for this long while this many bytes are queued. */
const stallLimits = [
	{ maxBytes: 8 << 20, stallMs: 30_000 },
	{ maxBytes: 256 << 20, stallMs: 2_000 },
];

/**
 * The output of a conversation. Writes one chunk at a time to the socket, to know whether the client reads at all.
 * Ends the socket at its own end, and is destroyed when the socket closes.
 */
export class ClientOutput extends Writable {
	readonly #socket: Socket;
	#movedAt = 0;

	constructor(socket: Socket) {
		super({ decodeStrings: false });
		this.#socket = socket;
		socket.on('close', () => this.destroy());
	}

	override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#movedAt = performance.now();
		this.#socket.write(chunk, (error) => {
			this.#movedAt = performance.now();
			done(error);
		});
	}

	override _final(done: () => void): void {
		this.#socket.end();
		done();
	}

	/** Whether the client has stopped reading although much is queued: 8 MiB for 30 s, or 256 MiB for 2 s. */
	isStuck(): boolean {
		const stalledMs = performance.now() - this.#movedAt;
		return stallLimits.some(({ maxBytes, stallMs }) => this.writableLength > maxBytes && stalledMs > stallMs);
	}
}

/** Returns a stream that sends each text. Texts before `attach` is called are sent then. */
export function createLogStream(): { stream: Writable; attach(send: (text: string) => void): void } {
	let early: string[] | undefined = [];
	let send = (text: string): void => void early?.push(text);
	const stream = new Writable({
		write(chunk: Buffer, _, done) {
			send(chunk.toString('utf8'));
			done();
		},
	});
	return {
		stream,
		attach(next) {
			send = next;
			for (const text of early ?? []) send(text);
			early = undefined;
		},
	};
}
