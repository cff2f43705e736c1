/**
 * Returns a 52-bit hash of the range `from..to` of a text (UTF-16 units). Combines FNV-1a and a hash with another
 * multiplier (from the golden ratio), whose collisions are independent.
 */
export function hashRange(text: string, from = 0, to = text.length): number {
	let first = 0x811c9dc5 | 0;
	let second = to - from;
	for (let position = from; position < to; position++) {
		const code = text.charCodeAt(position);
		first = Math.imul(first ^ code, 0x01000193);
		second = (Math.imul(second, 0x9e3779b1) + code) | 0;
	}
	second ^= second >>> 15;
	return (first >>> 0) * 2 ** 20 + ((second >>> 0) & 0xfffff);
}
