import type { Framing } from '../../protocol/capabilities.ts';
import { ContentLengthDecoder } from './contentLength.ts';
import { ByteBuffer, type FrameDecoder, type FrameLimits, type FrameSink } from './frames.ts';

export function createFrameDecoder(framing: Framing, limits: FrameLimits, sink: FrameSink): FrameDecoder {
	return framing === 'ndjson' ? createLineDecoder(limits, sink) : new ContentLengthDecoder(limits, sink);
}

const lineFeed = 0x0a;
const blankBytes: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

/**
 * Decodes one message per line.
 *
 * Lines may end with CRLF, blank lines are skipped, and the last line needs no line end. A line over the limit breaks
 * the stream.
 */
function createLineDecoder(limits: FrameLimits, sink: FrameSink): FrameDecoder {
	const partial = new ByteBuffer();
	let isBroken = false;

	function emit(line: Buffer): void {
		if (!line.every((byte) => blankBytes.has(byte))) sink.receiveBody(line);
	}

	return {
		push(chunk) {
			let position = 0;
			while (!isBroken && position < chunk.length) {
				const newline = chunk.indexOf(lineFeed, position);
				const end = newline < 0 ? chunk.length : newline;
				if (partial.length + end - position > limits.bodyBytes) {
					isBroken = true;
					sink.reportBroken(`a line exceeds the limit of ${limits.bodyBytes} bytes`);
					return;
				}
				const lineBytes = chunk.subarray(position, end);
				position = end + 1;
				if (newline >= 0 && partial.length === 0) {
					emit(lineBytes);
					continue;
				}
				partial.append(lineBytes);
				if (newline >= 0) emit(partial.drain());
			}
		},
		end() {
			if (!isBroken) emit(partial.drain());
		},
	};
}

const byteOrderMark = 0xfeff;

/** Parses the JSON of a message after an optional byte order mark. @throws SyntaxError */
export function parseBody(bytes: Buffer): unknown {
	const text = bytes.toString('utf8');
	return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
}
