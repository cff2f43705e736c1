import type { Writable } from 'node:stream';
import { Emitter, type Message, type MessageWriter, type ResponseMessage } from 'vscode-jsonrpc/node';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import type { Logger } from '../../session/ports.ts';

export interface WriterOptions {
	output: Writable;
	framing: Framing;
	logger: Logger;
	/** The output closed or failed; called once. */
	onLost(reason: string): void;
}

export interface OutputWriter extends MessageWriter {
	/** Resolves when all that was written has left, or can leave no more. */
	flushed(): Promise<void>;
}

/**
 * A message writer for both framings. The promise of a write resolves when the output took the bytes, so who
 * awaits it goes no faster than the client reads; it rejects when the output is lost.
 */
export function createWriter(options: WriterOptions): OutputWriter {
	const { output, logger } = options;
	const errors = new Emitter<[Error, Message | undefined, number | undefined]>();
	const closes = new Emitter<void>();
	const unfinished = new Set<(error: Error) => void>();
	let waiters: (() => void)[] = [];
	let lostReason: string | undefined;

	function wakeWhenFlushed(): void {
		if (unfinished.size > 0) return;
		for (const wake of waiters) wake();
		waiters = [];
	}

	// An output that is destroyed while a write is under way never calls back, hence the set of rejections.
	function lose(reason: string): void {
		if (lostReason !== undefined) return;
		lostReason = reason;
		for (const reject of unfinished) reject(new Error(reason));
		unfinished.clear();
		wakeWhenFlushed();
		options.onLost(reason);
	}

	output.on('error', (error: Error) => lose(`the output failed: ${error.message}`));
	output.on('close', () => lose('the output was closed'));

	function send(text: string): Promise<void> {
		return new Promise((resolve, reject) => {
			unfinished.add(reject);
			output.write(text, 'utf8', (error) => {
				if (error) {
					lose(`the output failed: ${error.message}`);
					return;
				}
				unfinished.delete(reject);
				resolve();
				wakeWhenFlushed();
			});
		});
	}

	return {
		onError: errors.event,
		onClose: closes.event,
		async write(message) {
			if (lostReason !== undefined) throw new Error(lostReason);
			const text = encodeMessage(message, options.framing, (error) => {
				logger.error(`a response could not be written as JSON: ${error}`);
			});
			await send(text);
		},
		flushed() {
			if (unfinished.size === 0) return Promise.resolve();
			return new Promise((resolve) => {
				waiters.push(resolve);
			});
		},
		end() {
			output.end();
		},
		dispose() {
			errors.dispose();
			closes.dispose();
		},
	};
}

function frame(text: string, framing: Framing): string {
	if (framing === 'ndjson') return `${text}\n`;
	return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function encodeResult(message: ResponseMessage, framing: Framing): string {
	const result = JSON.stringify(message.result);
	if (result === undefined) throw new TypeError('the result has no JSON form');
	return frame(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`, framing);
}

function isResponse(message: Message): message is ResponseMessage {
	return 'result' in message || 'error' in message;
}

/**
 * The text of a message in its frame. A response whose result or error data cannot be written as JSON
 * becomes an error response (-32603), so that the request is answered all the same; any other message
 * throws.
 * @param onUnserialisable told what was wrong with a response
 */
function encodeMessage(
	message: Message,
	framing: Framing,
	onUnserialisable: (error: unknown) => void,
): string {
	if (!isResponse(message)) return frame(JSON.stringify(message), framing);
	try {
		return message.error === undefined
			? encodeResult(message, framing)
			: frame(JSON.stringify(message), framing);
	} catch (error) {
		onUnserialisable(error);
		const replacement =
			message.error === undefined
				? { code: errorCodes.internalError, message: 'the result cannot be written as JSON' }
				: { code: message.error.code, message: message.error.message };
		return frame(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: replacement }), framing);
	}
}
