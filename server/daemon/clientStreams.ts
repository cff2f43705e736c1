/** The streams of one client's conversation, over its socket. */

import type { Socket } from 'node:net';
import { Writable } from 'node:stream';

/** Bytes that a client may leave unread for a while. */
const maxUnreadBytes = 8 << 20;
/** Milliseconds after which a client that reads nothing of so much is disconnected. */
const maxStallMs = 30_000;

/**
 * The output of a conversation. It hands the socket one chunk at a time, so that it knows whether the client reads at all.
 * A socket that is closed closes it.
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

	/** Whether the client has read nothing for 30 s although more than 8 MiB wait for it. */
	isStuck(): boolean {
		return this.writableLength > maxUnreadBytes && performance.now() - this.#movedAt > maxStallMs;
	}
}

/** Returns a stream that passes each text on, and those that came before `attach` once that is called. */
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
