export interface FrameLimits {
	/** Bytes of one header block. */
	headerBytes: number;
	/** Bytes of one body, or of one line. */
	bodyBytes: number;
}

export const defaultFrameLimits: FrameLimits = { headerBytes: 4 * 1024, bodyBytes: 256 * 1024 * 1024 };

/** Receives the messages that a decoder finds, and its problems. */
export interface FrameSink {
	receiveBody(bytes: Buffer): void;
	/** Reports that one message was lost; decoding continues with the next one. */
	reportSkipped(reason: string): void;
	/** Reports that the start of the next message cannot be found; nothing more is decoded. */
	reportBroken(reason: string): void;
}

/** Splits a byte stream into messages. */
export interface FrameDecoder {
	push(chunk: Buffer): void;
	/** Called when the input has ended. */
	end(): void;
}

const initialBytes = 64 * 1024;

/**
 * Collects bytes that arrive in pieces, in a buffer that doubles as it fills.
 *
 * Large bodies and millions of tiny pieces both take linear time. Memory is at most twice the bytes in the buffer,
 * but at least 64 KiB.
 */
export class ByteBuffer {
	#bytes: Buffer = Buffer.alloc(0);
	#length = 0;

	/** Number of bytes in the buffer. */
	get length(): number {
		return this.#length;
	}

	append(chunk: Uint8Array): void {
		const neededBytes = this.#length + chunk.length;
		if (neededBytes > this.#bytes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, this.#bytes.length * 2, initialBytes));
			this.#bytes.copy(larger, 0, 0, this.#length);
			this.#bytes = larger;
		}
		this.#bytes.set(chunk, this.#length);
		this.#length = neededBytes;
	}

	/** Returns all bytes and empties the buffer. */
	drain(): Buffer {
		const allBytes = this.#bytes.subarray(0, this.#length);
		this.#bytes = Buffer.alloc(0);
		this.#length = 0;
		return allBytes;
	}
}
