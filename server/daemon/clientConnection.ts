/** A connected client and its conversation, over the socket of its relay. */

import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { parseFlags } from '../core/settings/flags.ts';
import type { Framing } from '../protocol/capabilities.ts';
import type { NotificationSignature } from '../protocol/declaration.ts';
import {
	type ExitParams,
	type Hello,
	type LeftParams,
	type LogParams,
	type MovedParams,
	relayMethods,
} from '../protocol/hello.ts';
import type { Server } from '../rpc/serve.ts';
import { ClientOutput, createLogStream } from './clientStreams.ts';

export interface ClientStreams {
	input: Readable;
	output: Writable;
	errors: Writable;
}

/** Starts to serve a client; resolves with the server of the client's conversation. */
export type ServeClient = (hello: Hello, streams: ClientStreams) => Promise<Server>;

/** Milliseconds for the other side to read the last bytes of a closing connection. */
const maxCloseMs = 10_000;

function declareRelayNotification<Params>(method: string): NotificationSignature<Params> {
	return { kind: 'notification', method, direction: 'to the client' };
}

const logNotification = declareRelayNotification<LogParams>(relayMethods.log);
const movedNotification = declareRelayNotification<MovedParams>(relayMethods.moved);

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
		errors.attach((text) => void server.client.notify(logNotification, { text }));
		socket.resume();
		return new ClientConnection(socket, output, parseFlags(hello.flags).framing, server);
	}

	/** Whether a request of the client is unanswered. */
	get isBusy(): boolean {
		return this.#server.getIdleMs() === 0;
	}

	/** Disconnects the client if it has stopped reading; returns whether it had. */
	dropIfStuck(): boolean {
		if (!this.#output.isStuck()) return false;
		this.#socket.destroy();
		return true;
	}

	announceMove(params: MovedParams): void {
		void this.#server.client.notify(movedNotification, params);
	}

	/**
	 * Ends the conversation so that another daemon can continue it, and sends the client the number of messages that
	 * were read. Running requests have a second to finish before they are cancelled. The connection stays open until
	 * `close`.
	 */
	async drain(): Promise<void> {
		this.#isMoving = true;
		this.#server.stop();
		await this.ended;
		const params: LeftParams = { received: this.#server.getReceivedCount() };
		this.#send(relayMethods.left, params);
	}

	/** Closes the connection as `closeSocket` does; resolves when it is closed. */
	close(): Promise<void> {
		return closeSocket(this.#socket, this.#output);
	}

	#sendExit(params: ExitParams): void {
		this.#send(relayMethods.exit, params);
		void this.close();
	}

	/** Sends a notification after the conversation is over. */
	#send(method: string, params: ExitParams | LeftParams): void {
		if (!this.#socket.writable) return;
		const text = JSON.stringify({ jsonrpc: '2.0', method, params });
		const isLines = this.#framing === 'ndjson';
		this.#output.write(isLines ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
	}
}

/**
 * Ends a connection; resolves when the other side has read everything and closed the connection, after 10 s at the
 * latest. Until then, reads and discards everything received: a peer that cannot write may never read the rest.
 * @param output a stream that ends the socket when it ends
 */
export async function closeSocket(socket: Socket, output: Writable = socket): Promise<void> {
	if (socket.closed) return;
	const closed = new Promise((resolve) => socket.once('close', resolve));
	const timer = setTimeout(() => socket.destroy(), maxCloseMs);
	socket.resume();
	output.end();
	await closed;
	clearTimeout(timer);
}
