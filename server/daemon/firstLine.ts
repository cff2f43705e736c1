import type { Socket } from 'node:net';

const lineEnd = 0x0a;

/**
 * Reads the first line of a connection, without its line end, and leaves the rest in the stream. Returns undefined if
 * the connection ends first, the line is longer than `maxBytes`, or reading takes longer than `timeoutMs`, if given.
 */
export function readFirstLine(
	socket: Socket,
	{ maxBytes, timeoutMs }: { maxBytes: number; timeoutMs?: number },
): Promise<string | undefined> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let byteCount = 0;
		const finish = (line?: string): void => {
			clearTimeout(timer);
			socket.pause();
			socket.off('data', onData).off('end', onLost).off('close', onLost);
			resolve(line);
		};
		const onLost = (): void => finish();
		const onData = (chunk: Buffer): void => {
			const end = chunk.indexOf(lineEnd);
			chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
			byteCount += chunk.length;
			if (end >= 0) {
				finish(Buffer.concat(chunks).toString('utf8'));
				if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
			} else if (byteCount > maxBytes) finish();
		};
		const timer = timeoutMs === undefined ? undefined : setTimeout(onLost, timeoutMs);
		socket.on('data', onData).on('end', onLost).on('close', onLost);
	});
}
