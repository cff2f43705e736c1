/**
 * A plugin's end of the channel to a daemon that serves HTTP over a Unix socket. The plugin authenticates every message, and
 * sends nothing of the conversation before the daemon has proved that it knows the secret.
 */

import {
	createAnswerText,
	createKeyText,
	createProofText,
	createRequestText,
	formatSealedRequest,
	type Handshake,
	parseSealedAnswer,
} from '../server/core/channel/texts.ts';
import { isFields, tryParseJson } from '../server/core/shape.ts';

/** The answer to an HTTP request. */
export interface ChannelAnswer {
	status: number;
	text: string;
}

/** What a channel needs from its host. */
export interface ChannelPorts {
	/** Id of the session whose plugin uses the channel, for example `claude:5f3a`. */
	session: string;
	/** Posts a text to a path such as `/call`; rejects if there is no answer within `timeoutMs`. */
	post(path: string, body: string, timeoutMs: number): Promise<ChannelAnswer>;
	/** The content of the daemon's key file. */
	readSecret(): Promise<string>;
	sha256: Sha256;
	/** Returns 64 random hexadecimal digits. */
	nonce(): string;
	/** The time in milliseconds. */
	now(): number;
}

/** An error that the daemon returned, with the contract's code. */
export class ChannelError extends Error {
	readonly code: number;
	readonly data: unknown;
	/** The contract's kind of failure; undefined if the error is not contextd's own. */
	readonly kind: string | undefined;

	constructor(message: string, code: number, data: unknown) {
		super(message);
		this.name = 'ChannelError';
		this.code = code;
		this.data = data;
		this.kind = isFields(data) && typeof data.kind === 'string' ? data.kind : undefined;
	}
}

interface Token {
	token: string;
	key: Uint8Array;
	counter: number;
	/** Time from which the token is no longer used, in milliseconds by the port's clock. */
	endsAt: number;
}

/** A token is no longer used this many milliseconds before it expires. */
const tokenMarginMs = 15_000;
const utf8 = new TextEncoder();

function parseFields(text: string): Record<string, unknown> {
	const value: unknown = tryParseJson(text)?.value;
	return isFields(value) ? value : {};
}

function requireText(fields: Record<string, unknown>, name: string): string {
	const value = fields[name];
	if (typeof value !== 'string') throw new Error(`the daemon answered without ${name}`);
	return value;
}

function requireOkText({ status, text }: ChannelAnswer): string {
	if (status === 200) return text;
	throw new Error(`the daemon answered ${status}: ${text.slice(0, 200)}`);
}

/** Parses an answer and returns its result. Throws a `ChannelError` if the answer is an error. */
function parseResult(payload: string): unknown {
	const { result, error } = parseFields(payload);
	if (!isFields(error)) return result;
	throw new ChannelError(String(error.message), Number(error.code), error.data);
}

/** Posts a text. Rejects if no answer arrives before `endsAt` (milliseconds by the port's clock). */
async function postBefore(
	{ post, now }: ChannelPorts,
	endsAt: number,
	path: string,
	body: string,
): Promise<ChannelAnswer> {
	const leftMs = endsAt - now();
	if (leftMs <= 0) throw new Error('the daemon did not answer in time');
	return post(path, body, leftMs);
}

/**
 * Returns a channel, which sends one request after the other and authenticates the daemon when needed. A request rejects if the
 * daemon refuses it (`ChannelError`), cannot prove that it knows the secret, or does not answer in time.
 */
export function createChannel(ports: ChannelPorts) {
	const { session, sha256, now } = ports;
	let current: Token | undefined;
	let queue: Promise<unknown> = Promise.resolve();

	const sign = (key: Uint8Array, text: string): Promise<Uint8Array> =>
		hmacSha256(key, utf8.encode(text), sha256);
	const signToText = async (key: Uint8Array, text: string): Promise<string> =>
		bytesToHex(await sign(key, text));

	async function shakeHands(endsAt: number): Promise<Token> {
		const secret = hexToBytes((await ports.readSecret()).trim());
		const pluginNonce = ports.nonce();
		const hello = JSON.stringify({ version: 1, session, nonce: pluginNonce });
		const helloAnswer = parseFields(requireOkText(await postBefore(ports, endsAt, '/hello', hello)));
		const handshake: Handshake = { session, pluginNonce, daemonNonce: requireText(helloAnswer, 'nonce') };
		const expectedProof = await signToText(secret, createProofText('daemon', handshake));
		if (!isEqualText(requireText(helloAnswer, 'proof'), expectedProof))
			throw new Error('the process at the socket is not the daemon');
		const proof = await signToText(secret, createProofText('plugin', handshake));
		const prove = JSON.stringify({ session, nonce: handshake.daemonNonce, proof });
		const startedAt = now();
		const proveAnswer = parseFields(requireOkText(await postBefore(ports, endsAt, '/prove', prove)));
		const token = requireText(proveAnswer, 'token');
		const key = await sign(secret, createKeyText(handshake, token));
		return { token, key, counter: 0, endsAt: startedAt + Number(proveAnswer.expiresInMs) - tokenMarginMs };
	}

	async function call(token: Token, payload: string, endsAt: number): Promise<string | 'refused'> {
		const counter = ++token.counter;
		const requestMac = await signToText(token.key, createRequestText(counter, payload));
		const body = formatSealedRequest({ token: token.token, counter, mac: requestMac, payload });
		const response = await postBefore(ports, endsAt, '/call', body);
		if (response.status === 401) return 'refused';
		if (response.status === 409) {
			current = undefined;
			throw new Error('the daemon has this request already, so it is not sent again');
		}
		const answer = parseSealedAnswer(requireOkText(response));
		if (answer === undefined || answer.counter !== counter)
			throw new Error('the answer belongs to another request');
		const expectedMac = await signToText(token.key, createAnswerText(counter, answer.payload));
		if (!isEqualText(answer.mac, expectedMac)) throw new Error('the answer was changed in transit');
		return answer.payload;
	}

	/** Sends a request. If the token is refused because it has expired or belongs to an earlier daemon, requests a new one once. */
	async function ask(method: string, params: unknown, endsAt: number): Promise<unknown> {
		for (let isFresh = false; ; isFresh = true) {
			if (current === undefined || now() >= current.endsAt) {
				current = undefined;
				current = await shakeHands(endsAt);
				isFresh = true;
			}
			const payload = JSON.stringify({ method, params, timeoutMs: Math.ceil(endsAt - now()) });
			const answer = await call(current, payload, endsAt);
			if (answer !== 'refused') return parseResult(answer);
			current = undefined;
			if (isFresh) throw new Error('the daemon refuses a new token');
		}
	}

	return {
		/**
		 * Calls a method by its name and returns its result as the contract declares it. The timeout starts at once, even
		 * while earlier requests still wait for their answers.
		 */
		request(method: string, params: unknown, { timeoutMs }: { timeoutMs: number }): Promise<unknown> {
			const endsAt = now() + timeoutMs;
			const start = () => ask(method, params, endsAt);
			const run = queue.then(start, start);
			queue = run;
			return run;
		},
	};
}

/** Returns the SHA-256 hash of some bytes. */
export type Sha256 = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;

function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(first.length + second.length);
	bytes.set(first);
	bytes.set(second, first.length);
	return bytes;
}

/** Returns the authentication code of a message under a key, 32 bytes (RFC 2104). */
export async function hmacSha256(key: Uint8Array, message: Uint8Array, sha256: Sha256): Promise<Uint8Array> {
	const block = new Uint8Array(blockBytes);
	block.set(key.length > blockBytes ? await sha256(key) : key);
	const padKey = (mask: number): Uint8Array => block.map((byte) => byte ^ mask);
	const innerHash = await sha256(concatBytes(padKey(0x36), message));
	return sha256(concatBytes(padKey(0x5c), innerHash));
}

/** Returns bytes as lowercase hexadecimal digits. */
export function bytesToHex(bytes: Uint8Array): string {
	let text = '';
	for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
	return text;
}

/** Returns the bytes of hexadecimal digits. Throws a `RangeError` for any other text. */
export function hexToBytes(text: string): Uint8Array {
	if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new RangeError('expected pairs of hexadecimal digits');
	return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
		Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
	);
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function isEqualText(left: string, right: string): boolean {
	let difference = left.length ^ right.length;
	for (let index = 0; index < left.length; index++)
		difference |= left.charCodeAt(index) ^ right.charCodeAt(index % Math.max(1, right.length));
	return difference === 0;
}
