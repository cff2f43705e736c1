/** Authorizes the clients of a channel: handshakes, tokens, and the seals of their messages. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
	createAnswerText,
	createKeyText,
	createProofText,
	createRequestText,
	type Handshake,
	type SealedAnswer,
	type SealedRequest,
} from '../core/channel/texts.ts';

/** Refuses a request, with an HTTP status and a message. */
export class RefusedRequest extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** Milliseconds that a token is valid. */
export const tokenLifeMs = 600_000;
/** Milliseconds within which a handshake must be completed. */
const handshakeLifeMs = 10_000;
/** Maximum number of unfinished handshakes. */
const maxHandshakes = 32;
/** Maximum number of valid tokens. */
const maxTokens = 16;
const nonceBytes = 32;

export interface Token {
	/** Id of the session for which the token is valid; its sub-agents' sessions are included. */
	session: string;
	key: Buffer;
	/** Counter of the newest accepted request; the next request must have a higher one. */
	counter: number;
	/** When the token expires, in milliseconds on the authority's clock. */
	endsAt: number;
}

function computeMac(key: Buffer, text: string): string {
	return createHmac('sha256', key).update(text).digest('hex');
}

function areEqualMacs(actual: string, expected: string): boolean {
	const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}

/** Issues and checks the tokens of a channel, for one session at a time. Refuses by throwing `RefusedRequest`. */
export class TokenAuthority {
	readonly #secret: Buffer;
	readonly #now: () => number;
	readonly #handshakes = new Map<string, Handshake & { endsAt: number }>();
	readonly #tokens = new Map<string, Token>();

	/** @param now milliseconds on any monotonic clock */
	constructor(secret: Buffer, now: () => number) {
		this.#secret = secret;
		this.#now = now;
	}

	/** Starts a handshake, and proves that the daemon knows the secret. */
	greet({ session, nonce: pluginNonce }: { session: string; nonce: string }) {
		this.#dropExpired();
		if (this.#handshakes.size >= maxHandshakes)
			throw new RefusedRequest(429, 'too many unfinished handshakes: try again later');
		const daemonNonce = randomBytes(nonceBytes).toString('hex');
		const handshake = { session, pluginNonce, daemonNonce };
		this.#handshakes.set(daemonNonce, { ...handshake, endsAt: this.#now() + handshakeLifeMs });
		const proof = computeMac(this.#secret, createProofText('daemon', handshake));
		return { version: 1, nonce: daemonNonce, proof };
	}

	/** Issues a token if the client's proof shows that the client knows the secret. */
	admit({ session, nonce, proof }: { session: string; nonce: string; proof: string }) {
		this.#dropExpired();
		const handshake = this.#handshakes.get(nonce);
		// A handshake can be used only once, whether it succeeds or not.
		this.#handshakes.delete(nonce);
		if (
			handshake?.session !== session ||
			!areEqualMacs(proof, computeMac(this.#secret, createProofText('plugin', handshake)))
		) {
			throw new RefusedRequest(401, 'the proof does not match this handshake');
		}
		for (const [name, token] of this.#tokens) if (token.session !== session) this.#tokens.delete(name);
		const [oldest] = this.#tokens.keys();
		if (this.#tokens.size >= maxTokens && oldest !== undefined) this.#tokens.delete(oldest);
		const token = randomBytes(nonceBytes).toString('hex');
		const key = Buffer.from(computeMac(this.#secret, createKeyText(handshake, token)), 'hex');
		this.#tokens.set(token, { session, key, counter: 0, endsAt: this.#now() + tokenLifeMs });
		return { token, expiresInMs: tokenLifeMs };
	}

	/** Returns the token with this name. Refuses if there is none, or if it has expired. */
	requireToken(name: string): Token {
		this.#dropExpired();
		const token = this.#tokens.get(name);
		if (!token) throw new RefusedRequest(401, 'the token is unknown or has expired: repeat the handshake');
		return token;
	}

	#dropExpired(): void {
		const now = this.#now();
		for (const [name, { endsAt }] of this.#handshakes) if (endsAt <= now) this.#handshakes.delete(name);
		for (const [name, { endsAt }] of this.#tokens) if (endsAt <= now) this.#tokens.delete(name);
	}
}

/** Checks the seal of a request, and refuses a counter that was already used. */
export function checkSeal(token: Token, { counter, mac, payload }: SealedRequest): void {
	if (!areEqualMacs(mac, computeMac(token.key, createRequestText(counter, payload))))
		throw new RefusedRequest(401, 'the seal does not match this request');
	if (counter <= token.counter)
		throw new RefusedRequest(409, `counter ${counter} was already used: the next is ${token.counter + 1}`);
	token.counter = counter;
}

/** Seals the answer to the request with this counter. */
export function sealAnswer(token: Token, counter: number, payload: string): SealedAnswer {
	return { counter, mac: computeMac(token.key, createAnswerText(counter, payload)), payload };
}
