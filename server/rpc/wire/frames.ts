/** What one frame may hold at most. */
export interface FrameLimits {
	/** Bytes of one header block. */
	headerBytes: number;
	/** Bytes of one body, or of one line. */
	bodyBytes: number;
}

export const defaultFrameLimits: FrameLimits = { headerBytes: 4 * 1024, bodyBytes: 256 * 1024 * 1024 };

/** Takes what a decoder finds. */
export interface FrameSink {
	/** The bytes of one message. */
	body(bytes: Buffer): void;
	/** One message was lost; the one after it will be found. */
	skipped(reason: string): void;
	/** Where the next message starts cannot be known; nothing more will come. */
	broken(reason: string): void;
}

/** Cuts a byte stream into messages. */
export interface FrameDecoder {
	push(chunk: Buffer): void;
	/** The input is over. */
	end(): void;
}

/** Bytes that arrive in pieces and leave as one. */
interface ByteBuffer {
	/** Bytes held. */
	readonly length: number;
	append(piece: Uint8Array): void;
	/** All bytes held, after which the buffer is empty. */
	take(): Buffer;
}

const firstCapacity = 64 * 1024;

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
				const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2, firstCapacity));
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
