import { createByteBuffer, type FrameDecoder, type FrameLimits, type FrameSink } from './frames.ts';
import { shown } from './shown.ts';

const lineFeed = 0x0a;

/**
 * Decodes LSP's base protocol: a header block with `Content-Length`, an empty line, then that many bytes.
 *
 * Each byte is processed once, however the input is split into chunks. Lines may end with LF alone, and empty lines
 * between messages are skipped.
 */
export function createContentLengthDecoder(limits: FrameLimits, sink: FrameSink): FrameDecoder {
	const body = createByteBuffer();
	/** The unfinished header line; its bytes as latin1. */
	let line = '';
	let lines: string[] = [];
	let headerBytes = 0;
	let awaited: { length: number; skipReason?: string } | undefined;
	let skippedBytes = 0;
	let isBroken = false;

	function breakOff(reason: string): void {
		isBroken = true;
		sink.broken(reason);
	}

	function finishBlock(): void {
		const block = readHeaderBlock(lines, limits.bodyBytes);
		lines = [];
		headerBytes = 0;
		if (block.kind === 'broken') {
			breakOff(block.reason);
			return;
		}
		awaited = { length: block.length, ...(block.kind === 'skip' && { skipReason: block.reason }) };
		skippedBytes = 0;
	}

	function finishLine(): void {
		const text = line.endsWith('\r') ? line.slice(0, -1) : line;
		line = '';
		if (text !== '') {
			lines.push(text);
			return;
		}
		if (lines.length > 0) finishBlock();
		else headerBytes = 0;
	}

	/** Consumes header bytes from `start`; returns where it stopped. */
	function consumeHeader(chunk: Buffer, start: number): number {
		const feed = chunk.indexOf(lineFeed, start);
		const end = feed < 0 ? chunk.length : feed + 1;
		headerBytes += end - start;
		if (headerBytes > limits.headerBytes) {
			breakOff(`a header block exceeds the limit of ${limits.headerBytes} bytes`);
			return end;
		}
		line += chunk.toString('latin1', start, feed < 0 ? end : feed);
		if (feed >= 0) finishLine();
		return end;
	}

	/** Consumes body bytes from `start`; returns where it stopped. */
	function consumeBody(chunk: Buffer, start: number, length: number, skipReason: string | undefined): number {
		const had = skipReason === undefined ? body.length : skippedBytes;
		const end = Math.min(chunk.length, start + length - had);
		const isWhole = had + end - start === length;
		if (skipReason !== undefined) {
			skippedBytes += end - start;
			if (!isWhole) return end;
			awaited = undefined;
			sink.skipped(skipReason);
			return end;
		}
		if (isWhole && had === 0) {
			awaited = undefined;
			sink.body(chunk.subarray(start, end));
			return end;
		}
		body.append(chunk.subarray(start, end));
		if (!isWhole) return end;
		awaited = undefined;
		sink.body(body.take());
		return end;
	}

	return {
		push(chunk) {
			let position = 0;
			while (!isBroken && (position < chunk.length || awaited?.length === 0)) {
				position =
					awaited === undefined
						? consumeHeader(chunk, position)
						: consumeBody(chunk, position, awaited.length, awaited.skipReason);
			}
		},
		end() {
			if (isBroken) return;
			if (awaited !== undefined) {
				breakOff(`the input ended inside a body of ${awaited.length} bytes`);
			} else if (lines.length > 0 || line.length > 0) {
				breakOff('the input ended inside a header block');
			}
		},
	};
}

/** The body that follows a header block. */
type HeaderBlock =
	| { kind: 'body'; length: number }
	| { kind: 'skip'; length: number; reason: string }
	| { kind: 'broken'; reason: string };

const digits = /^[0-9]{1,15}$/;
const charsetPattern = /charset\s*=\s*"?([^\s";]*)/i;

function isUtf8(charset: string): boolean {
	const name = charset.toLowerCase();
	return name === 'utf-8' || name === 'utf8';
}

/**
 * Parses the lines of one header block, without line ends.
 *
 * The length must be plain decimal digits and given exactly once; otherwise the result is `broken`, because the end of the
 * body is unknown. A block with a valid length but another fault is `skip`ped with its body.
 * @param bodyBytes maximum size of a body
 */
function readHeaderBlock(lines: readonly string[], bodyBytes: number): HeaderBlock {
	let length: number | undefined;
	let fault: string | undefined;
	for (const line of lines) {
		const colon = line.indexOf(':');
		if (colon < 0) {
			fault ??= `expected a header of the form "Name: value", got ${shown(line)}`;
			continue;
		}
		const name = line.slice(0, colon).trim().toLowerCase();
		const value = line.slice(colon + 1).trim();
		if (name === 'content-length') {
			if (length !== undefined) return { kind: 'broken', reason: 'Content-Length is given twice' };
			if (!digits.test(value)) {
				return { kind: 'broken', reason: `Content-Length: expected a number of bytes, got ${shown(value)}` };
			}
			length = Number(value);
		}
		if (name === 'content-type') {
			const charset = charsetPattern.exec(value)?.[1];
			if (charset !== undefined && !isUtf8(charset)) {
				fault ??= `Content-Type: expected charset utf-8, got ${shown(charset)}`;
			}
		}
	}
	if (length === undefined) return { kind: 'broken', reason: 'a header block without Content-Length' };
	if (length > bodyBytes) {
		return { kind: 'broken', reason: `a body of ${length} bytes exceeds the limit of ${bodyBytes} bytes` };
	}
	return fault === undefined ? { kind: 'body', length } : { kind: 'skip', length, reason: fault };
}
