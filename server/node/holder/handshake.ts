/** The first words of a connection: both ends prove that they can read the holder's secret, before anything is said. */

import type { Socket } from 'node:net';
import { HandshakeError, type HelloLines, helloLines } from './lines.ts';
import { isProof, newNonce, proofOf, sessionDigest } from './proof.ts';

/** Of the words that follow the handshake; two ends of different ones do not talk. */
export const talkVersion = 1;

/** Milliseconds that whoever asks has to prove itself. */
const askerTime = 1000;

const noncePattern = /^[0-9a-f]{64}$/;

/** Proves this end to the holder, and the holder to this end. Rejects with `HandshakeError`. */
export async function greetHolder(
	socket: Socket,
	secret: Buffer,
	sessionId: string,
	milliseconds: number,
): Promise<void> {
	const lines = helloLines(socket, milliseconds);
	try {
		const askerNonce = newNonce();
		const session = sessionDigest(sessionId);
		lines.send({ contextd: talkVersion, session, nonce: askerNonce });
		const hello = await lines.next();
		if (hello.contextd !== talkVersion) throw new HandshakeError('it speaks another version');
		const talk = { askerNonce, holderNonce: nonceIn(hello), session };
		if (!isProof(hello.proof, proofOf(secret, 'holder', talk))) {
			throw new HandshakeError('it does not know the secret of the holder');
		}
		lines.send({ proof: proofOf(secret, 'asker', talk) });
		const { ready } = await lines.next();
		if (ready !== true) throw new HandshakeError('it holds that session no more', true);
	} finally {
		lines.release();
	}
}

/**
 * Proves this end, the holder, to whoever asks, and whoever asks to this end; gives the session that is asked for.
 * Rejects with `HandshakeError`.
 *
 * @param heldSession the id of the session that is held here under a digest.
 */
export async function greetAsker(
	socket: Socket,
	secret: Buffer,
	heldSession: (digest: string) => string | undefined,
): Promise<string> {
	const lines = helloLines(socket, askerTime);
	try {
		return await answerAsker(lines, secret, heldSession);
	} finally {
		lines.release();
	}
}

async function answerAsker(
	lines: HelloLines,
	secret: Buffer,
	heldSession: (digest: string) => string | undefined,
): Promise<string> {
	const hello = await lines.next();
	if (hello.contextd !== talkVersion) {
		lines.send({ contextd: talkVersion });
		throw new HandshakeError('it speaks another version');
	}
	const session = String(hello.session);
	const talk = { askerNonce: nonceIn(hello), holderNonce: newNonce(), session };
	lines.send({
		contextd: talkVersion,
		nonce: talk.holderNonce,
		proof: proofOf(secret, 'holder', talk),
	});
	const { proof } = await lines.next();
	if (!isProof(proof, proofOf(secret, 'asker', talk)))
		throw new HandshakeError('it does not know the secret');
	const sessionId = heldSession(session);
	lines.send({ ready: sessionId !== undefined });
	if (sessionId === undefined) throw new HandshakeError('it asks for a session that is not held', true);
	return sessionId;
}

function nonceIn({ nonce }: Record<string, unknown>): string {
	if (typeof nonce === 'string' && noncePattern.test(nonce)) return nonce;
	throw new HandshakeError('it sent no nonce');
}
