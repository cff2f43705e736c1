import type { Socket } from 'node:net';

const lineEnd = 0x0a;

/**
 * Reads the first line of a connection, without its end; what came after it stays to be read. Returns undefined if the
 * connection ends before, the line is longer than `maxBytes`, or it takes longer than `timeoutMs` if that is set.
 */
export function readFirstLine(
	socket: Socket,
	{ maxBytes, timeoutMs }: { maxBytes: number; timeoutMs?: number },
): Promise<string | undefined> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let length = 0;
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
			length += chunk.length;
			if (end >= 0) {
				finish(Buffer.concat(chunks).toString('utf8'));
				if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
			} else if (length > maxBytes) finish();
		};
		const timer = timeoutMs === undefined ? undefined : setTimeout(onLost, timeoutMs);
		socket.on('data', onData).on('end', onLost).on('close', onLost);
	});
}
