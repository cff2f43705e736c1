import { PassThrough } from 'node:stream';
import type { Framing } from '../../server/protocol/capabilities.ts';
import type { DaemonInitializeResult } from '../../server/protocol/lifecycle.ts';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { type ServeOptions, Server } from '../../server/rpc/serve.ts';

/** A JSON-RPC message in either direction. */
interface Wire {
	jsonrpc?: string;
	id?: string | number | null;
	method?: string;
	params?: unknown;
	result?: unknown;
	error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** A client's side of a conversation in memory. */
export interface Conversation {
	input: PassThrough;
	output: PassThrough;
	server: Server;
	log: string[];
	/** Sends JSON values, framed. */
	send(...values: unknown[]): void;
	/** Sends a request and returns its reply. */
	ask(method: string, params?: unknown): Promise<Wire>;
	/** Returns the next unread message. */
	next(): Promise<Wire>;
	/** Ends the input, and returns all unread messages with the exit code. */
	finish(): Promise<{ messages: Wire[]; code: number }>;
}

/** Encodes one value in a framing. */
export function framed(value: unknown, framing: Framing = 'content-length'): Buffer {
	return framedText(JSON.stringify(value), framing);
}

/** Encodes one body in a framing. */
export function framedText(text: string, framing: Framing = 'content-length'): Buffer {
	const body = Buffer.from(text);
	if (framing === 'ndjson') return Buffer.concat([body, Buffer.from('\n')]);
	return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function takeMessage(bytes: Buffer, framing: Framing): { message: Wire; rest: Buffer } | undefined {
	const headerEnd = framing === 'ndjson' ? 0 : bytes.indexOf('\r\n\r\n') + 4;
	if (headerEnd === 3) return undefined;
	const length =
		framing === 'ndjson'
			? bytes.indexOf('\n')
			: Number(/Content-Length: (\d+)/.exec(bytes.toString('latin1', 0, headerEnd))![1]);
	if (length < 0 || bytes.length < headerEnd + length) return undefined;
	const end = headerEnd + length + (framing === 'ndjson' ? 1 : 0);
	return {
		message: JSON.parse(bytes.toString('utf8', headerEnd, headerEnd + length)),
		rest: bytes.subarray(end),
	};
}

/** What a server reports about itself. */
export const introduction: DaemonInitializeResult = {
	capabilities: {
		workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
		executeCommandProvider: { commands: [] },
		experimental: {
			contextd: {
				version: 1,
				methods: [],
				formats: [],
				estimators: [],
				framings: [],
				transcripts: [],
			},
		},
	},
	serverInfo: { name: 'contextd', version: '0.0.0' },
};

/** Answers with its params. */
export const echo: RequestMethod = {
	method: 'context/echo',
	handle: (params) => params,
};

/** Answers after its signal aborts, with an error. */
export const hang: RequestMethod = {
	method: 'context/hang',
	handle: (_, { signal }) =>
		new Promise((_resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason));
		}),
};

/** Starts a server in memory and connects to it. */
export function converse(options: Partial<ServeOptions> = {}): Conversation {
	const input = new PassThrough();
	const output = new PassThrough();
	const framing = options.framing ?? 'content-length';
	const log: string[] = [];
	const write = (level: string) => (message: string) => void log.push(`${level} ${message}`);
	const server = new Server({
		input,
		output,
		framing,
		logger: { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') },
		requests: [echo, hang],
		notifications: [],
		onInitialize: () => introduction,
		onShutdown: () => {},
		...options,
	});

	let bytes: Buffer = Buffer.alloc(0);
	const messages: Wire[] = [];
	const waiting: ((message: Wire) => void)[] = [];
	output.on('data', (chunk: Buffer) => {
		bytes = Buffer.concat([bytes, chunk]);
		for (let taken = takeMessage(bytes, framing); taken; taken = takeMessage(bytes, framing)) {
			bytes = taken.rest;
			const wake = waiting.shift();
			if (wake) wake(taken.message);
			else messages.push(taken.message);
		}
	});

	let lastId = 1000;
	const conversation: Conversation = {
		input,
		output,
		server,
		log,
		send(...values) {
			for (const value of values) input.write(framed(value, framing));
		},
		async ask(method, params) {
			const id = ++lastId;
			conversation.send({ jsonrpc: '2.0', id, method, params });
			for (;;) {
				const message = await conversation.next();
				if (message.id === id) return message;
			}
		},
		next() {
			const message = messages.shift();
			if (message !== undefined) return Promise.resolve(message);
			return new Promise((resolve) => {
				waiting.push(resolve);
			});
		},
		async finish() {
			input.end();
			const code = await server.exitCode;
			return { messages: messages.splice(0), code };
		},
	};
	return conversation;
}

/** Starts a server like `converse`, and initializes it. */
export async function initialized(options: Partial<ServeOptions> = {}): Promise<Conversation> {
	const conversation = converse(options);
	await conversation.ask('initialize', { processId: null, capabilities: {} });
	conversation.send({ jsonrpc: '2.0', method: 'initialized', params: {} });
	return conversation;
}
