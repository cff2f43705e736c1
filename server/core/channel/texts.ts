/**
 * The channel between a plugin and the daemon that it started: what both ends put under their proofs and seals, which
 * are HMAC-SHA256 in lower hexadecimal digits. docs/channel.md tells all of it.
 */

/** What one handshake is about; nonces are 64 hexadecimal digits. */
export interface Handshake {
	/** The plugin's session. */
	session: string;
	pluginNonce: string;
	daemonNonce: string;
}

function bound(what: 'daemon' | 'plugin' | 'key', handshake: Handshake): string {
	const { pluginNonce, daemonNonce, session } = handshake;
	return ['contextd-channel-1', what, pluginNonce, daemonNonce, session].join('\n');
}

/** Under the secret: that the daemon knows it. */
export function daemonProofText(handshake: Handshake): string {
	return bound('daemon', handshake);
}

/** Under the secret: that the plugin knows it. */
export function pluginProofText(handshake: Handshake): string {
	return bound('plugin', handshake);
}

/** Under the secret: the key of a token, which seals what is said under it. */
export function keyText(handshake: Handshake, token: string): string {
	return `${bound('key', handshake)}\n${token}`;
}

/** Under a token's key: a request. */
export function requestText(counter: number, payload: string): string {
	return `request\n${counter}\n${payload}`;
}

/** Under a token's key: the answer to the request with that counter. */
export function answerText(counter: number, payload: string): string {
	return `answer\n${counter}\n${payload}`;
}

/** A request as it crosses. */
export interface SealedRequest {
	/** 64 hexadecimal digits. */
	token: string;
	/** A whole number from 1, larger than each before it under that token. */
	counter: number;
	mac: string;
	/** JSON. */
	payload: string;
}

/** An answer as it crosses. */
export type SealedAnswer = Omit<SealedRequest, 'token'>;

/** UTF-16 units of the first line of a request at most: two times 64 digits, a counter, and what stands between. */
export const longestRequestLine = 64 + 1 + 15 + 1 + 64;

const requestLine = /^([0-9a-f]{64}) ([1-9]\d{0,14}) ([0-9a-f]{64})$/;
const answerLine = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/;

/** The text of a request. */
export function requestBody({ token, counter, mac, payload }: SealedRequest): string {
	return `${token} ${counter} ${mac}\n${payload}`;
}

/** Reads the text of a request; undefined where it is none. */
export function readRequest(text: string): SealedRequest | undefined {
	const end = text.indexOf('\n');
	const [, token, counter, mac] = requestLine.exec(text.slice(0, Math.max(0, end))) ?? [];
	if (token === undefined || mac === undefined) return undefined;
	return { token, counter: Number(counter), mac, payload: text.slice(end + 1) };
}

/** The text of an answer. */
export function answerBody({ counter, mac, payload }: SealedAnswer): string {
	return `${counter} ${mac}\n${payload}`;
}

/** Reads the text of an answer; undefined where it is none. */
export function readAnswer(text: string): SealedAnswer | undefined {
	const end = text.indexOf('\n');
	const [, counter, mac] = answerLine.exec(text.slice(0, Math.max(0, end))) ?? [];
	if (mac === undefined) return undefined;
	return { counter: Number(counter), mac, payload: text.slice(end + 1) };
}
