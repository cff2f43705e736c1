/** HMAC-SHA256 for runtimes that offer only a digest. */

/** Returns the SHA-256 of some bytes. */
export type Sha256 = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;

async function blockOf(key: Uint8Array, sha256: Sha256): Promise<Uint8Array> {
	const block = new Uint8Array(blockBytes);
	block.set(key.length > blockBytes ? await sha256(key) : key);
	return block;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(first.length + second.length);
	bytes.set(first);
	bytes.set(second, first.length);
	return bytes;
}

/** Returns the authentication code of a message under a key, 32 bytes (RFC 2104). */
export async function hmacSha256(key: Uint8Array, message: Uint8Array, sha256: Sha256): Promise<Uint8Array> {
	const block = await blockOf(key, sha256);
	const inner = await sha256(
		joined(
			block.map((byte) => byte ^ 0x36),
			message,
		),
	);
	return sha256(
		joined(
			block.map((byte) => byte ^ 0x5c),
			inner,
		),
	);
}

/** Returns bytes as lowercase hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
	let text = '';
	for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
	return text;
}

/** Returns the bytes of hexadecimal digits. Throws a `RangeError` for any other text. */
export function bytesOfHex(text: string): Uint8Array {
	if (!/^(?:[0-9a-f]{2})*$/i.test(text)) throw new RangeError('expected pairs of hexadecimal digits');
	return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
		Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
	);
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function sameText(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++)
		difference |= one.charCodeAt(index) ^ other.charCodeAt(index % Math.max(1, other.length));
	return difference === 0;
}
