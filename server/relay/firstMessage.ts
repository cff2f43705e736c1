import { Readable } from 'node:stream';
import type { Framing } from '../protocol/capabilities.ts';
import { createFrameDecoder } from '../rpc/wire/decoder.ts';
import { defaultFrameLimits } from '../rpc/wire/frames.ts';

/**
 * Waits for a client's first message, or for anything that shows that none will follow. Returns the message, and a
 * paused stream that still contains everything.
 */
export async function peekFirstMessage(
	input: Readable,
	framing: Framing,
): Promise<{ body: Buffer | undefined; input: Readable }> {
	const chunks: Buffer[] = [];
	let body: Buffer | undefined;
	let stop: () => void = () => {};
	const decoder = createFrameDecoder(framing, defaultFrameLimits, {
		receiveBody(bytes) {
			body ??= Buffer.from(bytes);
			stop();
		},
		reportSkipped: () => stop(),
		reportBroken: () => stop(),
	});
	const isOver = await new Promise<boolean>((resolve) => {
		const onData = (chunk: Buffer | string): void => {
			const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
			chunks.push(bytes);
			decoder.push(bytes);
		};
		const onEnd = (): void => finish(true);
		const finish = (isEnd: boolean): void => {
			input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
			input.pause();
			resolve(isEnd);
		};
		stop = () => finish(false);
		input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
		input.resume();
	});
	if (isOver) return { body, input: Readable.from(chunks) };
	input.unshift(Buffer.concat(chunks));
	return { body, input };
}
