/** Bytes that arrive in pieces and leave as one. */
export interface ByteBuffer {
	/** Bytes held. */
	readonly length: number;
	append(piece: Uint8Array): void;
	/** All bytes held, after which the buffer is empty. */
	take(): Buffer;
}

const FIRST_CAPACITY = 64 * 1024;

/**
 * A buffer that doubles as it fills, so that neither one large body nor millions of tiny pieces cost more
 * than linear time, and memory never exceeds twice the bytes held (64 KiB at least).
 */
export function createByteBuffer(): ByteBuffer {
	let bytes: Buffer = Buffer.alloc(0);
	let length = 0;
	return {
		get length() {
			return length;
		},
		append(piece) {
			const needed = length + piece.length;
			if (needed > bytes.length) {
				const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2, FIRST_CAPACITY));
				bytes.copy(larger, 0, 0, length);
				bytes = larger;
			}
			bytes.set(piece, length);
			length = needed;
		},
		take() {
			const all = bytes.subarray(0, length);
			bytes = Buffer.alloc(0);
			length = 0;
			return all;
		},
	};
}
