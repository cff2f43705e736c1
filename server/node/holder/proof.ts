/** How two processes prove to each other that they can read the same secret, without saying it. */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Which end of a connection proves itself: the proof of one is none for the other. */
export type End = 'asker' | 'holder';

/** What a proof is bound to: to this one connection, by the nonces of both, and to one session. */
export interface ProvenTalk {
	askerNonce: string;
	holderNonce: string;
	/** Digest of the session's id. */
	session: string;
}

/** A nonce: 32 random bytes, in hex. */
export function newNonce(): string {
	return randomBytes(32).toString('hex');
}

/** The name of a session as long as the other end has not proven itself. */
export function sessionDigest(sessionId: string): string {
	return createHash('sha256').update(sessionId).digest('hex');
}

/** The proof of one end: HMAC-SHA256 (RFC 2104) under the secret, in hex. */
export function proofOf(secret: Buffer, end: End, { askerNonce, holderNonce, session }: ProvenTalk): string {
	const said = ['contextd', end, askerNonce, holderNonce, session].join('\n');
	return createHmac('sha256', secret).update(said).digest('hex');
}

/** Whether a proof is that of the other end, compared in constant time. */
export function isProof(given: unknown, expected: string): boolean {
	if (typeof given !== 'string' || given.length !== expected.length) return false;
	return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
