/** The HTTP server of a channel. It has three paths, limits the size of bodies, and reports errors in plain text. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { formatSealedAnswer, maxRequestLineLength, parseSealedRequest } from '../core/channel/texts.ts';
import { isFields, tryParseJson } from '../core/shape.ts';
import { findPluginAgent } from '../core/transcript/index.ts';
import { checkSeal, RefusedRequest, sealAnswer, type Token, type TokenAuthority } from './tokens.ts';

/** Maximum bytes of the body of a handshake and of a request. */
const maxBodyBytes = { handshake: 4 << 10, request: 64 << 20 };
const maxConnections = 64;
/** Timeouts in milliseconds. `unproven`: until a client has proved who it is; `check`: interval of checks for timeouts. */
const timeoutsMs = { headers: 5_000, unproven: 2_000, request: 30_000, keepAlive: 120_000, check: 1_000 };
/** Maximum UTF-16 units of a session id. */
const maxSessionUnits = 512;
const hexDigitsPattern = /^[0-9a-f]{64}$/;

/** Answers the payload of a request with the payload of the response. */
export type AnswerCall = (payload: string, session: string) => Promise<string>;

/** The client disconnected before the end of its request. */
class ClientDisconnected extends Error {}

function createTooLargeError(maxBytes: number): RefusedRequest {
	return new RefusedRequest(413, `the body may have at most ${maxBytes} bytes`);
}

/**
 * Reads a body. Fails after 2 s unless `admit` has accepted the beginning of the body by then. Without `admit`, fails
 * unless the body has ended by then.
 * @param admit called once with the beginning; throws to refuse the body
 */
async function readBody(
	request: IncomingMessage,
	maxBytes: number,
	admit?: (beginning: string) => void,
): Promise<string> {
	const announced = Number(request.headers['content-length'] ?? 0);
	if (announced > maxBytes) throw createTooLargeError(maxBytes);
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let receivedBytes = 0;
		let isAdmitted = false;
		const refuse = (error: unknown): void => {
			clearTimeout(deadline);
			// Only stops reading, so that the response can still be sent before the connection closes.
			request.pause();
			request.off('data', receive);
			reject(error);
		};
		const deadline = setTimeout(() => {
			refuse(new RefusedRequest(408, `expected the proof within ${timeoutsMs.unproven} ms`));
		}, timeoutsMs.unproven);
		const check = (): void => {
			isAdmitted = true;
			if (!admit) return;
			clearTimeout(deadline);
			admit(Buffer.concat(chunks).toString('latin1', 0, maxRequestLineLength + 1));
		};
		const receive = (chunk: Buffer): void => {
			receivedBytes += chunk.length;
			chunks.push(chunk);
			try {
				if (receivedBytes > maxBytes) throw createTooLargeError(maxBytes);
				if (!isAdmitted && receivedBytes > maxRequestLineLength) check();
			} catch (error) {
				refuse(error);
			}
		};
		request.on('data', receive);
		request.on('end', () => {
			clearTimeout(deadline);
			try {
				if (!isAdmitted) check();
				resolve(Buffer.concat(chunks, receivedBytes).toString('utf8'));
			} catch (error) {
				reject(error);
			}
		});
		request.on('close', () => {
			clearTimeout(deadline);
			reject(new ClientDisconnected('the plugin has disconnected'));
		});
	});
}

async function readHandshake(request: IncomingMessage): Promise<Record<string, unknown>> {
	const value: unknown = tryParseJson(await readBody(request, maxBodyBytes.handshake))?.value;
	if (!isFields(value)) throw new RefusedRequest(400, 'expected a JSON object');
	return value;
}

function requireHexDigits(fields: Record<string, unknown>, name: string): string {
	const value = fields[name];
	if (typeof value === 'string' && hexDigitsPattern.test(value)) return value;
	throw new RefusedRequest(400, `${name}: expected 64 lower hexadecimal digits`);
}

/** Returns the session id in a handshake; for a sub-agent (`session/agent`), the id of its main session. */
function requireSession({ session }: Record<string, unknown>): string {
	const [mainSession = ''] = typeof session === 'string' ? session.split('/') : [];
	const isValid = mainSession.length <= maxSessionUnits && !/\p{Cc}/u.test(mainSession);
	if (!isValid || findPluginAgent(mainSession) === undefined)
		throw new RefusedRequest(400, 'session: expected the id of a plugin’s session, such as "claude:…"');
	return mainSession;
}

async function answerGreeting(authority: TokenAuthority, request: IncomingMessage): Promise<string> {
	const fields = await readHandshake(request);
	if (fields.version !== 1)
		throw new RefusedRequest(400, 'version: this daemon supports version 1 of the channel');
	const session = requireSession(fields);
	return JSON.stringify(authority.greet({ session, nonce: requireHexDigits(fields, 'nonce') }));
}

async function answerAdmission(authority: TokenAuthority, request: IncomingMessage): Promise<string> {
	const fields = await readHandshake(request);
	const session = requireSession(fields);
	const [nonce, proof] = [requireHexDigits(fields, 'nonce'), requireHexDigits(fields, 'proof')];
	return JSON.stringify(authority.admit({ session, nonce, proof }));
}

async function answerMethodCall(
	authority: TokenAuthority,
	request: IncomingMessage,
	answer: AnswerCall,
): Promise<string> {
	let token: Token | undefined;
	const body = await readBody(request, maxBodyBytes.request, (beginning) => {
		// Throws for a client without a token, so that the rest of its body is not read.
		token = authority.requireToken(beginning.slice(0, 64));
	});
	const sealed = parseSealedRequest(body);
	if (token === undefined || sealed === undefined)
		throw new RefusedRequest(400, 'expected "<token> <counter> <mac>", a line end, and the request');
	checkSeal(token, sealed);
	const payload = await answer(sealed.payload, token.session);
	return formatSealedAnswer(sealAnswer(token, sealed.counter, payload));
}

function reply(response: ServerResponse, status: number, text: string): void {
	const bytes = Buffer.from(text);
	response.writeHead(status, {
		'content-type': 'text/plain; charset=utf-8',
		'content-length': bytes.length,
		'cache-control': 'no-store',
		// If the connection stayed open, the unread rest of a refused body would be parsed as a request.
		...(status !== 200 && { connection: 'close' }),
	});
	response.end(bytes, () => {
		if (!response.req.complete) response.req.destroy();
	});
}

/** The log of a channel's server. */
export interface ChannelLog {
	debug(message: string): void;
	error(message: string): void;
}

/** Creates the server of a channel, which is not listening yet. */
export function createChannelServer(authority: TokenAuthority, answer: AnswerCall, log: ChannelLog): Server {
	const paths: Readonly<Record<string, (request: IncomingMessage) => Promise<string>>> = {
		'/hello': (request) => answerGreeting(authority, request),
		'/prove': (request) => answerAdmission(authority, request),
		'/call': (request) => answerMethodCall(authority, request, answer),
	};

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = request.url ?? '';
		const handler = Object.hasOwn(paths, path) ? paths[path] : undefined;
		try {
			if (!handler) throw new RefusedRequest(404, 'expected the path /hello, /prove or /call');
			if (request.method !== 'POST') throw new RefusedRequest(405, 'expected POST');
			reply(response, 200, await handler(request));
		} catch (error) {
			if (error instanceof ClientDisconnected) return;
			if (!(error instanceof RefusedRequest)) throw error;
			log.debug(`refused ${path.slice(0, 20)}: ${error.message}`);
			reply(response, error.status, `${error.message}\n`);
		}
	}

	const server = createServer(
		{
			keepAliveTimeout: timeoutsMs.keepAlive,
			headersTimeout: timeoutsMs.headers,
			requestTimeout: timeoutsMs.request,
			// Checked often, so that clients that only connect do not block others for long.
			connectionsCheckingInterval: timeoutsMs.check,
		},
		(request, response) => {
			serve(request, response).catch((error) => {
				log.error(`the channel failed: ${error instanceof Error ? error.stack : error}`);
				if (!response.headersSent) reply(response, 500, 'the daemon failed; see its log\n');
				else response.destroy();
			});
		},
	);
	server.maxConnections = maxConnections;
	return server;
}
