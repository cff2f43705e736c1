import { createByteBuffer } from './byteBuffer.ts';
import type { FrameDecoder, FrameLimits, FrameSink } from './frames.ts';
import { readHeaderBlock } from './headerBlock.ts';

const LINE_FEED = 0x0a;

/**
 * Decodes LSP's base protocol: a header block with `Content-Length`, an empty line, that many bytes. Every
 * byte is looked at once, however the chunks are cut. Lines may end with LF alone, and empty lines between
 * messages are passed over.
 */
export function createContentLengthDecoder(limits: FrameLimits, sink: FrameSink): FrameDecoder {
	const line = createByteBuffer();
	const body = createByteBuffer();
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
		const bytes = line.take();
		const text = bytes.toString('latin1').replace(/\r$/, '');
		if (text !== '') {
			lines.push(text);
			return;
		}
		if (lines.length > 0) finishBlock();
		else headerBytes = 0;
	}

	/** Takes header bytes from `start`; gives where it stopped. */
	function takeHeader(chunk: Buffer, start: number): number {
		const feed = chunk.indexOf(LINE_FEED, start);
		const end = feed < 0 ? chunk.length : feed + 1;
		headerBytes += end - start;
		if (headerBytes > limits.headerBytes) {
			breakOff(`a header block is over the limit of ${limits.headerBytes} bytes`);
			return end;
		}
		line.append(chunk.subarray(start, feed < 0 ? end : feed));
		if (feed >= 0) finishLine();
		return end;
	}

	/** Takes body bytes from `start`; gives where it stopped. */
	function takeBody(chunk: Buffer, start: number, length: number, skipReason: string | undefined): number {
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
						? takeHeader(chunk, position)
						: takeBody(chunk, position, awaited.length, awaited.skipReason);
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
