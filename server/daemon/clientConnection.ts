/** One connected client: its conversation, over the socket of its relay. */

import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { parseFlags } from '../core/settings/flags.ts';
import type { Framing } from '../protocol/capabilities.ts';
import type { NotificationSignature } from '../protocol/declaration.ts';
import {
	type ExitParams,
	type Hello,
	type LogParams,
	type MovedParams,
	relayMethods,
} from '../protocol/hello.ts';
import type { Server } from '../rpc/serve.ts';
import { ClientOutput, createLogStream } from './clientStreams.ts';

/** What a client's conversation is served over. */
export interface ClientStreams {
	input: Readable;
	output: Writable;
	errors: Writable;
}

/** Serves a client; resolves with its conversation. */
export type ServeClient = (hello: Hello, streams: ClientStreams) => Promise<Server>;

/** Milliseconds that a relay has to close a connection that is over. */
const farewellMs = 2_000;

function toRelay<Params>(method: string): NotificationSignature<Params> {
	return { kind: 'notification', method, direction: 'to the client' };
}

const log = toRelay<LogParams>(relayMethods.log);
const moved = toRelay<MovedParams>(relayMethods.moved);

export class ClientConnection {
	readonly #socket: Socket;
	readonly #output: ClientOutput;
	readonly #server: Server;
	readonly #framing: Framing;
	#isMoving = false;
	/** Resolves when the conversation is over. Never rejects. */
	readonly ended: Promise<void>;

	private constructor(socket: Socket, output: ClientOutput, framing: Framing, server: Server) {
		this.#socket = socket;
		this.#output = output;
		this.#framing = framing;
		this.#server = server;
		this.ended = server.exitCode.then((code) => {
			if (!this.#isMoving) this.#sendExit({ code });
		});
	}

	/** Starts the conversation with a client that was welcomed. */
	static async open(socket: Socket, hello: Hello, serveClient: ServeClient): Promise<ClientConnection> {
		const output = new ClientOutput(socket);
		const errors = createLogStream();
		const server = await serveClient(hello, { input: socket, output, errors: errors.stream });
		errors.attach((text) => void server.client.notify(log, { text }));
		socket.resume();
		return new ClientConnection(socket, output, parseFlags(hello.flags).framing, server);
	}

	/** Whether a request of the client is unanswered. */
	get isBusy(): boolean {
		return this.#server.idleFor() === 0;
	}

	/** Disconnects a client that has stopped reading; returns whether it had. */
	dropIfStuck(): boolean {
		if (!this.#output.isStuck()) return false;
		this.#socket.destroy();
		return true;
	}

	announceMove(params: MovedParams): void {
		void this.#server.client.notify(moved, params);
	}

	/**
	 * Ends the conversation for another daemon to continue it; the connection stays open until `close`. A client that still
	 * waits for an answer is cut off at once: its relay must not take a cancellation for an answer.
	 */
	async drain(): Promise<void> {
		this.#isMoving = true;
		if (this.isBusy) this.#socket.destroy();
		this.#server.stop();
		await this.ended;
	}

	close(): void {
		closeSocket(this.#socket);
	}

	#sendExit(params: ExitParams): void {
		if (!this.#socket.writable) return;
		const text = JSON.stringify({ jsonrpc: '2.0', method: relayMethods.exit, params });
		const isLines = this.#framing === 'ndjson';
		this.#socket.write(isLines ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
		this.close();
	}
}

/** Closes a connection once what was written has left, but waits for nobody longer than 2 s. */
export function closeSocket(socket: Socket): void {
	const timer = setTimeout(() => socket.destroy(), farewellMs);
	socket.once('close', () => clearTimeout(timer));
	// A socket that is closed with unread bytes in it resets the connection.
	socket.resume();
	socket.end();
}
