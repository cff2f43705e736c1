/** A daemon that listens in a state folder and only sends answers that a test writes. */

import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readFirstLine } from '../../server/daemon/firstLine.ts';
import { type Hello, type HelloAnswer, helloProtocol } from '../../server/protocol/hello.ts';
import { type Relay, type RelayOptions, relay } from '../../server/relay/relay.ts';
import { type Client, createClient, type Wire } from './client.ts';

/** One connection to a scripted daemon. */
export interface ScriptedConnection {
	hello: Hello;
	socket: Socket;
	/** The client's messages in the order of arrival. */
	messages: Wire[];
	/** Resolves with the first message of a method, past or future. */
	received(method: string): Promise<Wire>;
	send(message: Wire): void;
	/** Ends the conversation with an exit code. */
	exit(code: number): void;
	/** Ends the connection like a crash. */
	crash(): void;
}

export interface ScriptedDaemon {
	/** Connections so far, oldest first. */
	connections: ScriptedConnection[];
	/** Resolves with the connection of that index, past or future; the first is 0. */
	connection(index: number): Promise<ScriptedConnection>;
	close(): Promise<void>;
}

const welcome: HelloAnswer = { kind: 'welcome', version: '1.0.0', pid: process.pid };

/** Listens in a state folder. `answer` returns the answer to each hello; by default a welcome. */
export async function startScriptedDaemon(
	stateFolder: string,
	answer: (hello: Hello) => HelloAnswer | undefined = () => welcome,
): Promise<ScriptedDaemon> {
	const connections: ScriptedConnection[] = [];
	const sockets = new Set<Socket>();
	const waiting = new Set<() => void>();
	const server = createServer({ allowHalfOpen: true }, async (socket) => {
		sockets.add(socket);
		socket.on('error', () => undefined);
		const line = await readFirstLine(socket, { maxBytes: 1 << 20, timeoutMs: 60_000 });
		if (line === undefined) return;
		const hello = JSON.parse(line) as Hello;
		const said = answer(hello);
		if (said === undefined) return;
		socket.write(`${JSON.stringify(said)}\n`);
		if (said.kind !== 'welcome') return void socket.end();
		connections.push(connectionOf(socket, hello));
		for (const wake of waiting) wake();
	});
	const path = join(stateFolder, 'daemon.sock');
	await rm(path, { force: true });
	server.listen(path);
	await once(server, 'listening');
	return {
		connections,
		async connection(index) {
			for (;;) {
				const found = connections[index];
				if (found !== undefined) return found;
				await new Promise<void>((resolve) => waiting.add(resolve));
			}
		},
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await once(server, 'close');
		},
	};
}

function connectionOf(socket: Socket, hello: Hello): ScriptedConnection {
	const framing = hello.flags.includes('--framing=ndjson') ? 'ndjson' : 'content-length';
	// A client on the daemon's side of the socket receives everything that is sent to the daemon.
	const client = createClient(socket, socket, framing);
	socket.resume();
	const send = (message: Wire): void => {
		const text = JSON.stringify({ jsonrpc: '2.0', ...message });
		client.write(
			framing === 'ndjson' ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
		);
	};
	return {
		hello,
		socket,
		messages: client.inbox,
		async received(method) {
			await client.awaitNotification(method);
			return client.inbox.find((one) => one.method === method) ?? {};
		},
		send,
		exit(code) {
			send({ method: '$/contextd/exit', params: { code } });
			socket.end();
		},
		crash: () => void socket.destroy(),
	};
}

export interface RelayedClient extends Client, Relay {
	/** Returns the log of the relay. */
	errors(): string;
	output: PassThrough;
}

/** Starts a client whose relay runs in this process. By default, a daemon that the relay starts never listens. */
export function startRelay(
	stateFolder: string,
	{ flags = [], ...options }: Partial<RelayOptions> & { flags?: string[] } = {},
): RelayedClient {
	const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
	let logged = '';
	errors.on('data', (chunk) => {
		logged += chunk;
	});
	const framing = flags.includes('--framing=ndjson') ? 'ndjson' : 'content-length';
	const hello: Hello = {
		protocol: helloProtocol,
		version: '1.0.0',
		program: ['contextd'],
		pid: process.pid,
		cwd: '/',
		platform: process.platform,
		home: '/',
		environment: {},
		flags,
	};
	const run = relay({
		input,
		output,
		errors,
		hello,
		stateFolder,
		framing,
		startDaemon: async () => undefined,
		...options,
	});
	return { ...createClient(input, output, framing), ...run, output, errors: () => logged };
}

/** Answers the first request of a method. */
export async function answer(connection: ScriptedConnection, method: string, result: unknown): Promise<void> {
	const { id } = await connection.received(method);
	connection.send({ id, result });
}
