/** HTTP over a Unix socket: three paths, bounded bodies, plain words for what is refused. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerBody, maxRequestLineLength, readRequest } from '../core/channel/texts.ts';
import { isFields, parsedJson } from '../core/shape.ts';
import { pluginAgentOf } from '../core/transcript/plugins.ts';
import { type Doorkeeper, RefusedRequest, type Token } from './tokens.ts';

/** Bytes that a body may have: of a handshake, and of a request. */
const longestBody = { handshake: 4 << 10, request: 64 << 20 };
const mostConnections = 64;
/** Milliseconds. */
const timeouts = { headers: 5_000, unproven: 2_000, request: 30_000, keepAlive: 120_000, look: 1_000 };
/** UTF-16 units of a session's id. */
const longestSession = 512;
const nonce = /^[0-9a-f]{64}$/;

/** Answers the payload of a request with that of an answer. */
export type AnswerCall = (payload: string, session: string) => Promise<string>;

/** Whoever asked has left before the end of the question. */
class Gone extends Error {}

function tooLarge(most: number): RefusedRequest {
	return new RefusedRequest(413, `a body of ${most} bytes at most is taken here`);
}

/**
 * Reads a body; `admit` looks at its beginning, once, before the rest is taken. Until then, or until the end if there is
 * no `admit`, the sender has not proved anything, and has 2 s.
 */
async function bodyOf(
	request: IncomingMessage,
	most: number,
	admit?: (beginning: string) => void,
): Promise<string> {
	const told = Number(request.headers['content-length'] ?? 0);
	if (told > most) throw tooLarge(most);
	return new Promise((resolve, reject) => {
		const pieces: Buffer[] = [];
		let length = 0;
		let isAdmitted = false;
		const refuse = (error: unknown): void => {
			// The answer still goes out: the rest of the body is not taken, and the connection ends behind it.
			clearTimeout(deadline);
			request.pause();
			request.off('data', take);
			reject(error);
		};
		const deadline = setTimeout(() => {
			refuse(new RefusedRequest(408, `expected the proof within ${timeouts.unproven} ms`));
		}, timeouts.unproven);
		const look = (): void => {
			isAdmitted = true;
			if (!admit) return;
			clearTimeout(deadline);
			admit(Buffer.concat(pieces).toString('latin1', 0, maxRequestLineLength + 1));
		};
		const take = (piece: Buffer): void => {
			length += piece.length;
			pieces.push(piece);
			try {
				if (length > most) throw tooLarge(most);
				if (!isAdmitted && length > maxRequestLineLength) look();
			} catch (error) {
				refuse(error);
			}
		};
		request.on('data', take);
		request.on('end', () => {
			clearTimeout(deadline);
			try {
				if (!isAdmitted) look();
				resolve(Buffer.concat(pieces, length).toString('utf8'));
			} catch (error) {
				reject(error);
			}
		});
		request.on('close', () => {
			clearTimeout(deadline);
			reject(new Gone('the plugin has left'));
		});
	});
}

function fieldsIn(text: string): Record<string, unknown> {
	const value: unknown = parsedJson(text)?.value;
	if (!isFields(value)) throw new RefusedRequest(400, 'expected a JSON object');
	return value;
}

function textIn(fields: Record<string, unknown>, name: string, form: RegExp): string {
	const value = fields[name];
	if (typeof value === 'string' && form.test(value)) return value;
	throw new RefusedRequest(400, `${name}: expected 64 lower hexadecimal digits`);
}

/** The plugin's session that a handshake names: of an agent that starts others, that agent's. */
function sessionIn({ session }: Record<string, unknown>): string {
	const [own = ''] = typeof session === 'string' ? session.split('/') : [];
	const isPlugins = pluginAgentOf(own) !== undefined && own.length <= longestSession && !/\p{Cc}/u.test(own);
	if (!isPlugins)
		throw new RefusedRequest(400, 'session: expected the id of a plugin’s session, such as "claude:…"');
	return own;
}

async function greet(door: Doorkeeper, request: IncomingMessage): Promise<string> {
	const fields = fieldsIn(await bodyOf(request, longestBody.handshake));
	if (fields.version !== 1)
		throw new RefusedRequest(400, 'version: this daemon speaks version 1 of the channel');
	return JSON.stringify(door.greet({ session: sessionIn(fields), nonce: textIn(fields, 'nonce', nonce) }));
}

async function admit(door: Doorkeeper, request: IncomingMessage): Promise<string> {
	const fields = fieldsIn(await bodyOf(request, longestBody.handshake));
	const session = sessionIn(fields);
	return JSON.stringify(
		door.admit({ session, nonce: textIn(fields, 'nonce', nonce), proof: textIn(fields, 'proof', nonce) }),
	);
}

async function call(door: Doorkeeper, request: IncomingMessage, answer: AnswerCall): Promise<string> {
	let token: Token | undefined;
	const body = await bodyOf(request, longestBody.request, (beginning) => {
		// Whoever has no token is not listened to any further.
		token = door.tokenOf(beginning.slice(0, 64));
	});
	const sealed = readRequest(body);
	if (token === undefined || sealed === undefined) {
		throw new RefusedRequest(400, 'expected "<token> <counter> <mac>", a line end, and the request');
	}
	door.open(token, sealed);
	const payload = await answer(sealed.payload, token.session);
	return answerBody(door.seal(token, sealed.counter, payload));
}

function reply(response: ServerResponse, status: number, text: string): void {
	const bytes = Buffer.from(text);
	response.writeHead(status, {
		'content-type': 'text/plain; charset=utf-8',
		'content-length': bytes.length,
		'cache-control': 'no-store',
		// What was not read of a refused body would be taken for the next request.
		...(status !== 200 && { connection: 'close' }),
	});
	response.end(bytes, () => {
		if (!response.req.complete) response.req.destroy();
	});
}

/** What a channel's server tells whoever runs it. */
export interface ChannelLog {
	debug(message: string): void;
	error(message: string): void;
}

/** A server for a channel, which is still to be listened with. */
export function createChannelServer(door: Doorkeeper, answer: AnswerCall, log: ChannelLog): Server {
	const paths: Readonly<Record<string, (request: IncomingMessage) => Promise<string>>> = {
		'/hello': (request) => greet(door, request),
		'/prove': (request) => admit(door, request),
		'/call': (request) => call(door, request, answer),
	};

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = request.url ?? '';
		const work = Object.hasOwn(paths, path) ? paths[path] : undefined;
		try {
			if (!work) throw new RefusedRequest(404, 'expected the path /hello, /prove or /call');
			if (request.method !== 'POST') throw new RefusedRequest(405, 'expected POST');
			reply(response, 200, await work(request));
		} catch (error) {
			if (error instanceof Gone) return;
			if (!(error instanceof RefusedRequest)) throw error;
			log.debug(`${path.slice(0, 20)} was refused: ${error.message}`);
			reply(response, error.status, `${error.message}\n`);
		}
	}

	const server = createServer(
		{
			keepAliveTimeout: timeouts.keepAlive,
			headersTimeout: timeouts.headers,
			requestTimeout: timeouts.request,
			// How often it is looked who has overrun them: those who only connect must not keep others out for long.
			connectionsCheckingInterval: timeouts.look,
		},
		(request, response) => {
			serve(request, response).catch((error) => {
				log.error(`the channel failed: ${error instanceof Error ? error.stack : error}`);
				if (!response.headersSent) reply(response, 500, 'the daemon failed; see its log\n');
				else response.destroy();
			});
		},
	);
	server.maxConnections = mostConnections;
	return server;
}
