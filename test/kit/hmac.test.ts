import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes, hmacSha256, isEqualText } from '../../kit/channel.ts';

const sha256 = async (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());

describe('HMAC-SHA256 over a digest function', () => {
	it("hmacSha256 equals the platform's result for keys and messages of any length", async () => {
		const bytes = fc.oneof(
			fc.uint8Array({ maxLength: 200 }),
			fc.uint8Array({ minLength: 63, maxLength: 65 }),
		);
		await fc.assert(
			fc.asyncProperty(bytes, bytes, async (key, message) => {
				const wanted = createHmac('sha256', key).update(message).digest('hex');
				expect(bytesToHex(await hmacSha256(key, message, sha256))).toBe(wanted);
			}),
		);
	});

	it('hmacSha256 gives the result of RFC 4231, case 2', async () => {
		const text = new TextEncoder();
		const mac = await hmacSha256(text.encode('Jefe'), text.encode('what do ya want for nothing?'), sha256);
		expect(bytesToHex(mac)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
	});
});

describe('hexadecimal digits of bytes', () => {
	it('bytes survive a conversion to hexadecimal text and back', () => {
		fc.assert(
			fc.property(fc.uint8Array(), (bytes) => {
				expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
			}),
		);
	});

	it.each(['0', 'zz', '0x12', ' 00'])('refuses %j as hexadecimal text', (text) => {
		expect(() => hexToBytes(text)).toThrow(RangeError);
	});
});

describe('comparing texts in constant time', () => {
	it('two texts are compared for equality', () => {
		fc.assert(
			fc.property(fc.string(), fc.string(), (one, other) => {
				expect(isEqualText(one, other)).toBe(one === other);
			}),
		);
		expect(isEqualText('ab', 'ab')).toBe(true);
		expect(isEqualText('', 'a')).toBe(false);
		expect(isEqualText('aa', 'a')).toBe(false);
	});
});
