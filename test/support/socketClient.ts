/** A client of the daemon that connects to its socket directly, like a relay. */

import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { findSocket } from '../../server/daemon/socketAddress.ts';
import { type Hello, type HelloAnswer, helloProtocol, relayMethods } from '../../server/protocol/hello.ts';

/** A message of the daemon, in a frame of one line. */
interface Wire {
	id?: string | number | null;
	method?: string;
	params?: { text?: string; code?: number; program?: string[] } & Record<string, unknown>;
	result?: unknown;
	error?: { code?: number; message: string; data?: Record<string, unknown> };
}

export interface SocketClient {
	socket: Socket;
	answer: HelloAnswer;
	/** All notifications so far. */
	notifications: Wire[];
	send(message: object): void;
	/** Resolves with the answer. If the connection closes first, resolves with an error without a code. */
	ask(method: string, params?: unknown): Promise<Wire>;
	/** Resolves with the first notification of a method, past or future. */
	notified(method: string): Promise<Wire>;
	/** The code of `$/contextd/exit`; undefined if the connection closed without one. */
	exitCode: Promise<number | undefined>;
}

/** Returns the hello message that the relay of this program writes. */
export function helloOf(changes: Partial<Hello> = {}): Hello {
	return {
		protocol: helloProtocol,
		version: '0.1.0',
		program: ['node', 'contextd.cjs'],
		pid: process.pid,
		cwd: process.cwd(),
		platform: process.platform,
		home: '/nowhere',
		environment: {},
		flags: ['--stdio', '--framing', 'ndjson'],
		...changes,
	};
}

/** Connects to the daemon of a state folder and writes one line; returns the socket and the lines of the answer. */
export async function sayTo(
	stateFolder: string,
	line: unknown,
): Promise<{ socket: Socket; lines: AsyncGenerator<string> }> {
	const address = await findSocket(stateFolder);
	if (address === undefined) throw new Error(`no daemon has a socket in ${stateFolder}`);
	const socket = createConnection(address.path);
	socket.on('error', () => {});
	await once(socket, 'connect');
	socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
	return { socket, lines: linesOf(socket) };
}

async function* linesOf(socket: Socket): AsyncGenerator<string> {
	let text = '';
	for await (const chunk of socket.setEncoding('utf8')) {
		const lines = (text + chunk).split('\n');
		text = lines.pop() ?? '';
		yield* lines;
	}
}

/** Connects as a client, without `initialize`. */
export async function connectTo(stateFolder: string, changes: Partial<Hello> = {}): Promise<SocketClient> {
	const { socket, lines } = await sayTo(stateFolder, helloOf(changes));
	const first = await lines.next();
	if (first.done) throw new Error('the connection closed without an answer');
	const answers = new Map<number, (answer: Wire) => void>();
	const listeners = new Set<() => void>();
	const notifications: Wire[] = [];
	let lastId = 0;

	async function read(): Promise<number | undefined> {
		let code: number | undefined;
		try {
			for await (const line of lines) {
				const message: Wire = JSON.parse(line);
				if (message.method === undefined) answers.get(Number(message.id))?.(message);
				else notifications.push(message);
				if (message.method === relayMethods.exit) code = message.params?.code;
				for (const listener of listeners) listener();
			}
		} catch {
			// A broken connection counts as ended.
		}
		for (const answer of answers.values()) answer({ error: { message: 'the connection was closed' } });
		return code;
	}

	const send = (message: object): void => {
		socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	};
	return {
		socket,
		answer: JSON.parse(first.value),
		notifications,
		send,
		ask(method, params) {
			const id = ++lastId;
			send({ id, method, params });
			return new Promise((resolve) => {
				answers.set(id, resolve);
				if (socket.destroyed) resolve({ error: { message: 'the connection was closed' } });
			});
		},
		notified(method) {
			return new Promise((resolve) => {
				const look = (): void => {
					const found = notifications.find((one) => one.method === method);
					if (found === undefined) return;
					listeners.delete(look);
					resolve(found);
				};
				listeners.add(look);
				look();
			});
		},
		exitCode: read(),
	};
}

/** Connects as a client, and sends `initialize` and `initialized`. */
export async function initializedClient(
	stateFolder: string,
	changes: Partial<Hello> = {},
): Promise<SocketClient> {
	const client = await connectTo(stateFolder, changes);
	await client.ask('initialize', { processId: null, capabilities: {} });
	client.send({ method: 'initialized', params: {} });
	return client;
}
