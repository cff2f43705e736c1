/** A client of the daemon over any pair of streams: it frames messages, matches replies and keeps notifications. */

import type { Readable, Writable } from 'node:stream';
import type { RequestDeclaration } from '../../server/protocol/declaration.ts';
import * as contract from '../../server/protocol/index.ts';
import type { DaemonInitializeResult } from '../../server/protocol/lifecycle.ts';

/** A message on the wire. */
export interface Wire {
	jsonrpc?: string;
	id?: string | number | null;
	method?: string;
	params?: unknown;
	result?: unknown;
	error?: RefusalData;
}

interface RefusalData {
	code: number;
	message: string;
	data?: { kind?: string } & Record<string, unknown>;
}

/** An error reply. */
export class Refused extends Error {
	readonly code: number;
	readonly kind: string | undefined;
	readonly data: RefusalData['data'];

	constructor(method: string, { code, message, data }: RefusalData) {
		super(`${method}: ${message}`);
		this.code = code;
		this.kind = data?.kind;
		this.data = data;
	}
}

export interface Client {
	/** Sends a declared request and returns its result; rejects with `Refused`. */
	ask<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** Sends any request and returns its id, so that it can be cancelled. */
	start(method: string, params?: unknown): { id: number; reply: Promise<Wire> };
	/** Returns the error that answers a request; fails if it succeeds. */
	refusal(method: string, params?: unknown): Promise<RefusalData>;
	notify(method: string, params?: unknown): void;
	cancel(id: number): void;
	/** Writes raw bytes. */
	write(bytes: string | Buffer): void;
	/** Sends `initialize` and `initialized`. */
	initialize(params?: Record<string, unknown>): Promise<DaemonInitializeResult>;
	/** Notifications and stray replies received so far, oldest first. */
	inbox: Wire[];
	/** Resolves with the params of the first matching notification of a method, past or future. */
	awaitNotification(method: string, fits?: (params: never) => boolean): Promise<unknown>;
	/** Ends the input of the daemon. */
	end(): void;
}

type Framing = 'content-length' | 'ndjson';

/** Encodes one JSON text in a framing. */
export function framed(text: string, framing: Framing): Buffer {
	const body = Buffer.from(text);
	if (framing === 'ndjson') return Buffer.concat([body, Buffer.from('\n')]);
	return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Splits a stream into messages; linear in its bytes. */
function readMessages(output: Readable, framing: Framing, each: (message: Wire) => void): void {
	let pieces: Buffer[] = [];
	let held = 0;
	let needed = 1;
	output.on('data', (chunk: Buffer) => {
		pieces.push(chunk);
		held += chunk.length;
		if (held < needed) return;
		let bytes = Buffer.concat(pieces);
		for (;;) {
			const frame = nextFrame(bytes, framing);
			if (typeof frame === 'number') {
				needed = frame;
				break;
			}
			each(JSON.parse(bytes.toString('utf8', frame.start, frame.end)) as Wire);
			bytes = bytes.subarray(frame.end + (framing === 'ndjson' ? 1 : 0));
		}
		pieces = [bytes];
		held = bytes.length;
	});
}

/** Returns the position of the first message, or the number of bytes needed to find it. */
function nextFrame(bytes: Buffer, framing: Framing): { start: number; end: number } | number {
	if (framing === 'ndjson') {
		const end = bytes.indexOf(10);
		return end < 0 ? bytes.length + 1 : { start: 0, end };
	}
	const header = bytes.indexOf('\r\n\r\n');
	if (header < 0) return bytes.length + 1;
	const length = Number(/Content-Length: (\d+)/.exec(bytes.toString('latin1', 0, header))?.[1]);
	const start = header + 4;
	return bytes.length < start + length ? start + length : { start, end: start + length };
}

const declared = new Map<string, readonly unknown[]>(
	Object.values(contract).flatMap((one) =>
		typeof one === 'object' && 'errors' in one ? [[one.method, one.errors]] : [],
	),
);

/** Returns the answer; throws if it is a failure that the contract does not declare for the method. */
function declaredAnswer(method: string, answer: Wire): Wire {
	const kind = answer.error?.data?.kind;
	const failures = declared.get(method);
	const everywhere: readonly string[] = ['InvalidParams', ...contract.restartErrors];
	if (kind === undefined || !failures || [...everywhere, ...failures].includes(kind)) return answer;
	throw new Error(`${method} was answered by ${kind}, which the contract does not say of it`);
}

/** Creates a client that writes to the daemon's `input` and reads its `output`. */
export function createClient(input: Writable, output: Readable, framing: Framing = 'content-length'): Client {
	let lastId = 0;
	const waiting = new Map<number, (reply: Wire) => void>();
	const inbox: Wire[] = [];
	const listeners = new Set<(message: Wire) => void>();

	readMessages(output, framing, (message) => {
		const answer = typeof message.id === 'number' ? waiting.get(message.id) : undefined;
		if (answer && message.method === undefined) {
			waiting.delete(message.id as number);
			answer(message);
			return;
		}
		inbox.push(message);
		for (const listen of listeners) listen(message);
	});

	function send(message: Wire): void {
		input.write(framed(JSON.stringify({ jsonrpc: '2.0', ...message }), framing));
	}

	function start(method: string, params?: unknown): { id: number; reply: Promise<Wire> } {
		const id = ++lastId;
		const reply = new Promise<Wire>((resolve) => {
			waiting.set(id, resolve);
		});
		send({ id, method, params });
		return { id, reply: reply.then((answer) => declaredAnswer(method, answer)) };
	}

	const client: Client = {
		async ask<Params, Result>({ method }: RequestDeclaration<Params, Result>, params: Params) {
			const { result, error } = await start(method, params).reply;
			if (error) throw new Refused(method, error);
			return result as Result;
		},
		start,
		async refusal(method, params) {
			const { error, result } = await start(method, params).reply;
			if (!error) throw new Error(`${method} was not refused: ${JSON.stringify(result).slice(0, 200)}`);
			return error;
		},
		notify: (method, params) => send({ method, params }),
		cancel: (id) => send({ method: '$/cancelRequest', params: { id } }),
		write: (bytes) => void input.write(bytes),
		async initialize(params = {}) {
			const { result, error } = await start('initialize', { processId: null, capabilities: {}, ...params })
				.reply;
			if (error) throw new Refused('initialize', error);
			send({ method: 'initialized', params: {} });
			return result as DaemonInitializeResult;
		},
		inbox,
		awaitNotification(method, fits = () => true) {
			const isIt = (message: Wire): boolean => message.method === method && fits(message.params as never);
			const known = inbox.find(isIt);
			if (known) return Promise.resolve(known.params);
			return new Promise((resolve) => {
				const listen = (message: Wire): void => {
					if (!isIt(message)) return;
					listeners.delete(listen);
					resolve(message.params);
				};
				listeners.add(listen);
			});
		},
		end: () => void input.end(),
	};
	return client;
}
