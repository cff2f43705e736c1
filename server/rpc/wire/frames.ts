/** What one frame may hold at most. */
export interface FrameLimits {
	/** Bytes of one header block. */
	headerBytes: number;
	/** Bytes of one body, or of one line. */
	bodyBytes: number;
}

export const DEFAULT_FRAME_LIMITS: FrameLimits = { headerBytes: 4 * 1024, bodyBytes: 256 * 1024 * 1024 };

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
