import { describeReceived } from './describeValue.ts';
import { ByteBuffer, type FrameDecoder, type FrameLimits, type FrameSink } from './frames.ts';

const lineFeed = 0x0a;

/** The body that follows the header block just read; skipped if `skipReason` is set. */
interface ExpectedBody {
	length: number;
	skipReason: string | undefined;
}

/**
 * Decodes LSP's base protocol: a header block with `Content-Length`, an empty line, then that many bytes.
 *
 * Each byte is processed once, however the input is split into chunks. Lines may end with LF alone, and empty lines
 * between messages are skipped. After `broken` nothing more is decoded.
 */
export class ContentLengthDecoder implements FrameDecoder {
	readonly #limits: FrameLimits;
	readonly #sink: FrameSink;
	readonly #body = new ByteBuffer();
	/** The bytes of the unfinished header line, as latin1. */
	#partialLine = '';
	#lines: string[] = [];
	#headerBytes = 0;
	#expectedBody: ExpectedBody | undefined;
	#skippedBytes = 0;
	#isBroken = false;

	constructor(limits: FrameLimits, sink: FrameSink) {
		this.#limits = limits;
		this.#sink = sink;
	}

	push(chunk: Buffer): void {
		let position = 0;
		while (!this.#isBroken && (position < chunk.length || this.#expectedBody?.length === 0)) {
			position =
				this.#expectedBody === undefined
					? this.#consumeHeader(chunk, position)
					: this.#consumeBody(chunk, position, this.#expectedBody);
		}
	}

	end(): void {
		if (this.#isBroken) return;
		if (this.#expectedBody !== undefined) {
			this.#break(`the input ended inside a body of ${this.#expectedBody.length} bytes`);
		} else if (this.#lines.length > 0 || this.#partialLine.length > 0) {
			this.#break('the input ended inside a header block');
		}
	}

	/** Consumes header bytes from `start`; returns the position after them. */
	#consumeHeader(chunk: Buffer, start: number): number {
		const newline = chunk.indexOf(lineFeed, start);
		const end = newline < 0 ? chunk.length : newline + 1;
		this.#headerBytes += end - start;
		if (this.#headerBytes > this.#limits.headerBytes) {
			this.#break(`a header block exceeds the limit of ${this.#limits.headerBytes} bytes`);
			return end;
		}
		this.#partialLine += chunk.toString('latin1', start, newline < 0 ? end : newline);
		if (newline >= 0) this.#finishLine();
		return end;
	}

	#finishLine(): void {
		const text = this.#partialLine.endsWith('\r') ? this.#partialLine.slice(0, -1) : this.#partialLine;
		this.#partialLine = '';
		if (text !== '') {
			this.#lines.push(text);
			return;
		}
		if (this.#lines.length > 0) this.#finishBlock();
		else this.#headerBytes = 0;
	}

	#finishBlock(): void {
		const block = parseHeader(this.#lines, this.#limits.bodyBytes);
		this.#lines = [];
		this.#headerBytes = 0;
		if ('brokenReason' in block) {
			this.#break(block.brokenReason);
			return;
		}
		this.#expectedBody = block;
		this.#skippedBytes = 0;
	}

	/** Consumes body bytes from `start`; returns the position after them. */
	#consumeBody(chunk: Buffer, start: number, { length, skipReason }: ExpectedBody): number {
		const receivedBytes = skipReason === undefined ? this.#body.length : this.#skippedBytes;
		const end = Math.min(chunk.length, start + length - receivedBytes);
		const isWhole = receivedBytes + end - start === length;
		if (isWhole) this.#expectedBody = undefined;
		if (skipReason !== undefined) {
			this.#skippedBytes += end - start;
			if (isWhole) this.#sink.reportSkipped(skipReason);
			return end;
		}
		const bodyBytes = chunk.subarray(start, end);
		if (isWhole && receivedBytes === 0) {
			this.#sink.receiveBody(bodyBytes);
			return end;
		}
		this.#body.append(bodyBytes);
		if (isWhole) this.#sink.receiveBody(this.#body.drain());
		return end;
	}

	#break(reason: string): void {
		this.#isBroken = true;
		this.#sink.reportBroken(reason);
	}
}

const digitsPattern = /^[0-9]{1,15}$/;
const charsetPattern = /charset\s*=\s*"?([^\s";]*)/i;
const utf8Pattern = /^utf-?8$/i;

/**
 * Parses the lines of one header block, without line ends.
 *
 * The length must be plain decimal digits and given exactly once; otherwise the stream is broken, because the end of
 * the body is unknown. A block with a valid length but another fault is skipped together with its body.
 * @param bodyBytes maximum size of a body
 */
function parseHeader(lines: readonly string[], bodyBytes: number): ExpectedBody | { brokenReason: string } {
	let length: number | undefined;
	let skipReason: string | undefined;
	for (const line of lines) {
		const colon = line.indexOf(':');
		if (colon < 0) {
			skipReason ??= `expected a header of the form "Name: value", got ${describeReceived(line)}`;
			continue;
		}
		const name = line.slice(0, colon).trim().toLowerCase();
		const value = line.slice(colon + 1).trim();
		if (name === 'content-length') {
			if (length !== undefined) return { brokenReason: 'Content-Length is given twice' };
			if (!digitsPattern.test(value)) {
				return {
					brokenReason: `Content-Length: expected a number of bytes, got ${describeReceived(value)}`,
				};
			}
			length = Number(value);
		}
		if (name === 'content-type') {
			const charset = charsetPattern.exec(value)?.[1];
			if (charset !== undefined && !utf8Pattern.test(charset))
				skipReason ??= `Content-Type: expected charset utf-8, got ${describeReceived(charset)}`;
		}
	}
	if (length === undefined) return { brokenReason: 'a header block without Content-Length' };
	if (length > bodyBytes)
		return { brokenReason: `a body of ${length} bytes exceeds the limit of ${bodyBytes} bytes` };
	return { length, skipReason };
}
