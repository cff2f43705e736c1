/** Who may speak over a channel: handshakes, the tokens that they end in, and the seals under these. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
	answerText,
	daemonProofText,
	type Handshake,
	keyText,
	pluginProofText,
	requestText,
	type SealedAnswer,
	type SealedRequest,
} from '../core/channel/texts.ts';

/** What a request outside the seal is refused with: an HTTP status, and words. */
export class RefusedRequest extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** Milliseconds that a token lasts. */
export const tokenLife = 600_000;
/** Milliseconds in which a handshake is to be ended. */
const handshakeLife = 10_000;
/** Handshakes that are begun and not ended, and tokens, at once. */
const mostHandshakes = 32;
const mostTokens = 16;
const nonceBytes = 32;

/** A token that was given out. */
export interface Token {
	/** The session that it is for; those of the agents that it starts too. */
	session: string;
	key: Buffer;
	/** The last counter that was used. */
	counter: number;
	/** Milliseconds since some moment. */
	endsAt: number;
}

/** Who may speak. */
export interface Doorkeeper {
	/** Proves that the daemon knows the secret. */
	greet(asked: { session: string; nonce: string }): { version: 1; nonce: string; proof: string };
	/** Gives a token to whoever proves the same. */
	admit(proven: { session: string; nonce: string; proof: string }): { token: string; expiresInMs: number };
	/** The token of that name, where it still holds. */
	tokenOf(name: string): Token;
	/** Checks the seal of a request, and uses up its counter. */
	open(token: Token, request: SealedRequest): void;
	seal(token: Token, counter: number, payload: string): SealedAnswer;
}

function macOf(key: Buffer, text: string): string {
	return createHmac('sha256', key).update(text).digest('hex');
}

function isMac(given: string, wanted: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
	return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Keeps the door of a channel, for one session at a time. All that it gives throws a `RefusedRequest`.
 * @param now milliseconds since some moment
 */
export function createDoorkeeper(secret: Buffer, now: () => number): Doorkeeper {
	const handshakes = new Map<string, Handshake & { endsAt: number }>();
	const tokens = new Map<string, Token>();

	function dropEnded(): void {
		for (const [name, { endsAt }] of handshakes) if (endsAt <= now()) handshakes.delete(name);
		for (const [name, { endsAt }] of tokens) if (endsAt <= now()) tokens.delete(name);
	}

	return {
		greet({ session, nonce: pluginNonce }) {
			dropEnded();
			if (handshakes.size >= mostHandshakes) {
				throw new RefusedRequest(429, 'too many handshakes were begun and not ended: try again in a while');
			}
			const daemonNonce = randomBytes(nonceBytes).toString('hex');
			const handshake = { session, pluginNonce, daemonNonce };
			handshakes.set(daemonNonce, { ...handshake, endsAt: now() + handshakeLife });
			return { version: 1, nonce: daemonNonce, proof: macOf(secret, daemonProofText(handshake)) };
		},

		admit({ session, nonce, proof }) {
			dropEnded();
			const handshake = handshakes.get(nonce);
			// Once alone, whatever comes of it.
			handshakes.delete(nonce);
			if (handshake?.session !== session || !isMac(proof, macOf(secret, pluginProofText(handshake)))) {
				throw new RefusedRequest(401, 'the proof is not that of this handshake');
			}
			for (const [name, token] of tokens) if (token.session !== session) tokens.delete(name);
			const [oldest] = tokens.keys();
			if (tokens.size >= mostTokens && oldest !== undefined) tokens.delete(oldest);
			const token = randomBytes(nonceBytes).toString('hex');
			const key = Buffer.from(macOf(secret, keyText(handshake, token)), 'hex');
			tokens.set(token, { session, key, counter: 0, endsAt: now() + tokenLife });
			return { token, expiresInMs: tokenLife };
		},

		tokenOf(name) {
			dropEnded();
			const token = tokens.get(name);
			if (!token) throw new RefusedRequest(401, 'no such token, or it has ended: shake hands anew');
			return token;
		},

		open(token, { counter, mac, payload }) {
			if (!isMac(mac, macOf(token.key, requestText(counter, payload)))) {
				throw new RefusedRequest(401, 'the seal is not that of this request');
			}
			if (counter <= token.counter) {
				throw new RefusedRequest(
					409,
					`counter ${counter} was used or overtaken: the next is ${token.counter + 1}`,
				);
			}
			token.counter = counter;
		},

		seal: (token, counter, payload) => ({
			counter,
			mac: macOf(token.key, answerText(counter, payload)),
			payload,
		}),
	};
}
