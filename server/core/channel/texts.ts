/**
 * Creates and parses the texts of the channel between a plugin and its daemon. Both ends sign texts with HMAC-SHA256, in
 * lowercase hexadecimal digits. docs/channel.md describes the protocol.
 */

/** Parties and nonces of one handshake; nonces are 64 hexadecimal digits. */
export interface Handshake {
	/** Id of the plugin's session. */
	session: string;
	pluginNonce: string;
	daemonNonce: string;
}

/** Returns the text whose signature proves that the daemon or the plugin knows the secret. */
export function createProofText(
	purpose: 'daemon' | 'plugin' | 'key',
	{ pluginNonce, daemonNonce, session }: Handshake,
): string {
	return ['contextd-channel-1', purpose, pluginNonce, daemonNonce, session].join('\n');
}

/** Returns the text whose signature with the secret is the key of a token. The key seals the token's messages. */
export function createKeyText(handshake: Handshake, token: string): string {
	return `${createProofText('key', handshake)}\n${token}`;
}

/** Returns the text of a request, which is signed with a token's key. */
export function createRequestText(counter: number, payload: string): string {
	return `request\n${counter}\n${payload}`;
}

/** Returns the text of the answer to the request with this counter, which is signed with a token's key. */
export function createAnswerText(counter: number, payload: string): string {
	return `answer\n${counter}\n${payload}`;
}

/** A request as transmitted. */
export interface SealedRequest {
	/** 64 hexadecimal digits. */
	token: string;
	/** A whole number from 1, larger than the counters of all earlier requests with the token. */
	counter: number;
	mac: string;
	/** JSON. */
	payload: string;
}

/** An answer as transmitted. */
export type SealedAnswer = Omit<SealedRequest, 'token'>;

/** Maximum UTF-16 units of a request's first line: twice 64 digits, a counter, two separators. */
export const maxRequestLineLength = 64 + 1 + 15 + 1 + 64;

const requestLinePattern = /^([0-9a-f]{64}) ([1-9]\d{0,14}) ([0-9a-f]{64})$/;
const answerLinePattern = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/;

export function formatSealedRequest({ token, counter, mac, payload }: SealedRequest): string {
	return `${token} ${counter} ${mac}\n${payload}`;
}

/** Parses a request; undefined if it is invalid. */
export function parseSealedRequest(text: string): SealedRequest | undefined {
	const end = text.indexOf('\n');
	const [, token, counter, mac] = requestLinePattern.exec(text.slice(0, Math.max(0, end))) ?? [];
	if (token === undefined || mac === undefined) return undefined;
	return { token, counter: Number(counter), mac, payload: text.slice(end + 1) };
}

export function formatSealedAnswer({ counter, mac, payload }: SealedAnswer): string {
	return `${counter} ${mac}\n${payload}`;
}

/** Parses an answer; undefined if it is invalid. */
export function parseSealedAnswer(text: string): SealedAnswer | undefined {
	const end = text.indexOf('\n');
	const [, counter, mac] = answerLinePattern.exec(text.slice(0, Math.max(0, end))) ?? [];
	if (mac === undefined) return undefined;
	return { counter: Number(counter), mac, payload: text.slice(end + 1) };
}
