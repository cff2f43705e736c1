/** Returns a hash of 52 bits (two FNV-1a sums). If two hashes are equal, the texts almost certainly are. */
export function hashText(text: string): number {
	let [first, second] = [0x811c9dc5, 0x050c5d1f];
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		first = Math.imul(first ^ code, 0x01000193);
		second = Math.imul(second ^ (code + index), 0x01000193);
	}
	return (first >>> 0) * (1 << 20) + (second >>> 12);
}
