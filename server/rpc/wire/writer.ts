import type { Writable } from 'node:stream';
import { Emitter, type Message, type MessageWriter, type ResponseMessage } from 'vscode-jsonrpc/node';
import { pauseForOthers } from '../../core/slices.ts';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import type { Logger } from '../../session/ports.ts';
import { jsonPieces, shortJson } from './jsonPieces.ts';

export interface WriterOptions {
	output: Writable;
	framing: Framing;
	logger: Logger;
	/** Called once when the output closed or failed. */
	onLost(reason: string): void;
}

export interface OutputWriter extends MessageWriter {
	/** Resolves when everything was written, or can no longer be written. */
	flushed(): Promise<void>;
}

/**
 * Creates a message writer for both framings.
 *
 * Messages are written in order. A long one is encoded in slices, between which other tasks run; later messages wait. The
 * promise of a write resolves when the output accepted the bytes, so that awaiting it limits the caller to the client's
 * reading speed. It rejects when the output is lost.
 */
export function createWriter(options: WriterOptions): OutputWriter {
	const { output, logger } = options;
	const errors = new Emitter<[Error, Message | undefined, number | undefined]>();
	const closes = new Emitter<void>();
	const unfinished = new Set<(error: Error) => void>();
	let waiters: (() => void)[] = [];
	let lostReason: string | undefined;
	/** Resolves when every earlier message has been passed to the output. */
	let queued: Promise<void> | undefined;

	function wakeWhenFlushed(): void {
		if (unfinished.size > 0) return;
		for (const wake of waiters) wake();
		waiters = [];
	}

	// An output destroyed during a write never calls back, hence the set of rejections.
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

	function send(chunks: readonly Chunk[]): Promise<void> {
		return new Promise((resolve, reject) => {
			unfinished.add(reject);
			for (const chunk of chunks.slice(0, -1)) output.write(chunk);
			output.write(chunks.at(-1) ?? '', (error) => {
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

	/** Encodes a message and sends it after the earlier ones; resolves when it was passed to the output. */
	async function enqueue(
		before: Promise<void> | undefined,
		encoding: Generator<void, Chunk[]>,
	): Promise<{ sent: Promise<void> }> {
		await before;
		let step = encoding.next();
		for (; !step.done; step = encoding.next()) {
			if (lostReason !== undefined) break;
			await pauseForOthers();
		}
		if (lostReason !== undefined || !step.done) throw new Error(lostReason);
		return { sent: send(step.value) };
	}

	return {
		onError: errors.event,
		onClose: closes.event,
		async write(message) {
			if (lostReason !== undefined) throw new Error(lostReason);
			const encoding = encodeMessage(message, options.framing, (error) => {
				logger.error(`could not write a response as JSON: ${error}`);
			});
			if (queued === undefined) {
				const step = encoding.next();
				if (step.done) return send(step.value);
			}
			const enqueuing = enqueue(queued, encoding);
			const done = (): void => {
				if (queued === settled) queued = undefined;
			};
			const settled = enqueuing.then(done, done);
			queued = settled;
			const { sent } = await enqueuing;
			return sent;
		},
		async flushed() {
			while (queued !== undefined) await queued;
			if (unfinished.size === 0) return;
			await new Promise<void>((resolve) => {
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

/** The bytes of one write. A short message stays a string, since the output encodes it faster. */
type Chunk = Buffer | string;

/** Bytes encoded before other tasks get a turn. */
const portion = 256 * 1024;

/** Encodes a message in its frame, in steps of moderate size. */
function* framed(message: unknown, framing: Framing): Generator<void, Chunk[]> {
	const text = shortJson(message);
	if (text !== undefined) {
		if (framing === 'ndjson') return [`${text}\n`];
		return [`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`];
	}
	const chunks: Buffer[] = [];
	let pieces: string[] = [];
	let units = 0;
	let bytes = 0;
	const close = (): void => {
		const chunk = Buffer.from(pieces.join(''));
		chunks.push(chunk);
		bytes += chunk.length;
		pieces = [];
		units = 0;
	};
	for (const piece of jsonPieces(message)) {
		pieces.push(piece);
		units += piece.length;
		if (units < portion) continue;
		close();
		yield;
	}
	if (framing === 'ndjson') pieces.push('\n');
	close();
	if (framing === 'ndjson') return chunks;
	const header = Buffer.from(`Content-Length: ${bytes}\r\n\r\n`);
	// A message of moderate size is sent in one write.
	return chunks.length > 1 ? [header, ...chunks] : [Buffer.concat([header, ...chunks])];
}

function isResponse(message: Message): message is ResponseMessage {
	return 'result' in message || 'error' in message;
}

/**
 * Encodes a message in its frame, in steps.
 *
 * A response whose result or error data has no JSON form becomes an error response (-32603), so that the request is still
 * answered. Any other such message throws.
 * @param onUnserialisable receives the error of a response
 */
function* encodeMessage(
	message: Message,
	framing: Framing,
	onUnserialisable: (error: unknown) => void,
): Generator<void, Chunk[]> {
	if (!isResponse(message)) return yield* framed(message, framing);
	try {
		const { id, error } = message;
		if (error !== undefined) return yield* framed(message, framing);
		if (['undefined', 'function', 'symbol'].includes(typeof message.result)) {
			throw new TypeError('the result has no JSON form');
		}
		return yield* framed({ jsonrpc: '2.0', id, result: message.result }, framing);
	} catch (error) {
		onUnserialisable(error);
		const replacement =
			message.error === undefined
				? { code: errorCodes.internalError, message: 'the result cannot be written as JSON' }
				: { code: message.error.code, message: message.error.message };
		return yield* framed({ jsonrpc: '2.0', id: message.id, error: replacement }, framing);
	}
}
