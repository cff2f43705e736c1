/** Authorizes the clients of a channel: handshakes, tokens, and the seals of their messages. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
	createAnswerText,
	createDaemonProofText,
	createKeyText,
	createPluginProofText,
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
/** Maximum number of unfinished handshakes, and of tokens. */
const maxHandshakes = 32;
const maxTokens = 16;
const nonceBytes = 32;

/** An issued token. */
export interface Token {
	/** Id of the session for which the token is valid; its sub-agents' sessions are included. */
	session: string;
	key: Buffer;
	/** Counter of the newest accepted request; the next request must have a higher one. */
	counter: number;
	/** When the token expires, in milliseconds on the authority's clock. */
	endsAt: number;
}

/** Issues and checks tokens. */
export interface TokenAuthority {
	/** Starts a handshake, and proves that the daemon knows the secret. */
	greet(request: { session: string; nonce: string }): { version: 1; nonce: string; proof: string };
	/** Issues a token if the client's proof shows that the client knows the secret. */
	admit(request: { session: string; nonce: string; proof: string }): { token: string; expiresInMs: number };
	/** Returns the token with this name, if the token is still valid. */
	requireToken(name: string): Token;
	/** Checks the seal of a request, and refuses a counter that was already used. */
	checkSeal(token: Token, request: SealedRequest): void;
	seal(token: Token, counter: number, payload: string): SealedAnswer;
}

function computeMac(key: Buffer, text: string): string {
	return createHmac('sha256', key).update(text).digest('hex');
}

function areEqualMacs(actual: string, expected: string): boolean {
	const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Creates the authority of a channel, for one session at a time. Its methods refuse by throwing `RefusedRequest`.
 * @param now milliseconds on any monotonic clock
 */
export function createTokenAuthority(secret: Buffer, now: () => number): TokenAuthority {
	const handshakes = new Map<string, Handshake & { endsAt: number }>();
	const tokens = new Map<string, Token>();

	function dropExpired(): void {
		for (const [name, { endsAt }] of handshakes) if (endsAt <= now()) handshakes.delete(name);
		for (const [name, { endsAt }] of tokens) if (endsAt <= now()) tokens.delete(name);
	}

	return {
		greet({ session, nonce: pluginNonce }) {
			dropExpired();
			if (handshakes.size >= maxHandshakes) {
				throw new RefusedRequest(429, 'too many unfinished handshakes: try again later');
			}
			const daemonNonce = randomBytes(nonceBytes).toString('hex');
			const handshake = { session, pluginNonce, daemonNonce };
			handshakes.set(daemonNonce, { ...handshake, endsAt: now() + handshakeLifeMs });
			return { version: 1, nonce: daemonNonce, proof: computeMac(secret, createDaemonProofText(handshake)) };
		},

		admit({ session, nonce, proof }) {
			dropExpired();
			const handshake = handshakes.get(nonce);
			// A handshake can be used only once, whether it succeeds or not.
			handshakes.delete(nonce);
			if (
				handshake?.session !== session ||
				!areEqualMacs(proof, computeMac(secret, createPluginProofText(handshake)))
			) {
				throw new RefusedRequest(401, 'the proof does not match this handshake');
			}
			for (const [name, token] of tokens) if (token.session !== session) tokens.delete(name);
			const [oldest] = tokens.keys();
			if (tokens.size >= maxTokens && oldest !== undefined) tokens.delete(oldest);
			const token = randomBytes(nonceBytes).toString('hex');
			const key = Buffer.from(computeMac(secret, createKeyText(handshake, token)), 'hex');
			tokens.set(token, { session, key, counter: 0, endsAt: now() + tokenLifeMs });
			return { token, expiresInMs: tokenLifeMs };
		},

		requireToken(name) {
			dropExpired();
			const token = tokens.get(name);
			if (!token) throw new RefusedRequest(401, 'the token is unknown or has expired: repeat the handshake');
			return token;
		},

		checkSeal(token, { counter, mac, payload }) {
			if (!areEqualMacs(mac, computeMac(token.key, createRequestText(counter, payload)))) {
				throw new RefusedRequest(401, 'the seal does not match this request');
			}
			if (counter <= token.counter) {
				throw new RefusedRequest(
					409,
					`counter ${counter} was already used: the next is ${token.counter + 1}`,
				);
			}
			token.counter = counter;
		},

		seal: (token, counter, payload) => ({
			counter,
			mac: computeMac(token.key, createAnswerText(counter, payload)),
			payload,
		}),
	};
}
