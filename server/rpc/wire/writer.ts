import type { Writable } from 'node:stream';
import { Event, type Message, type MessageWriter, type ResponseMessage } from 'vscode-jsonrpc/node';
import { pauseForOthers } from '../../core/slices.ts';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import type { Logger } from '../../session/ports.ts';
import { stringifyInPieces, stringifyShort } from './jsonPieces.ts';

export interface WriterOptions {
	output: Writable;
	framing: Framing;
	logger: Logger;
	/** Called once when the output closed or failed. */
	onLost(reason: string): void;
}

/**
 * Writes messages of both framings, in order.
 *
 * A long message is encoded in slices, between which other tasks run, and later messages wait for it. The promise of a
 * write resolves when the output has accepted the bytes, so a caller that awaits it never writes faster than the client
 * reads. It rejects if the output is lost.
 */
export class OutputWriter implements MessageWriter {
	readonly #options: WriterOptions;
	/** Functions that reject the unfinished writes: an output that is destroyed during a write never calls back. */
	readonly #pendingRejects = new Set<(error: Error) => void>();
	#waiters: (() => void)[] = [];
	#lostReason: string | undefined;
	/** Resolves when every earlier message has been passed to the output. */
	#queue: Promise<void> | undefined;

	readonly onError = Event.None;
	readonly onClose = Event.None;

	constructor(options: WriterOptions) {
		this.#options = options;
		options.output.on('error', (error: Error) => this.#lose(`the output failed: ${error.message}`));
		options.output.on('close', () => this.#lose('the output was closed'));
	}

	async write(message: Message): Promise<void> {
		if (this.#lostReason !== undefined) throw new Error(this.#lostReason);
		const { framing, logger } = this.#options;
		const encoding = encodeMessage(message, framing, (error) => {
			logger.error(`could not write a response as JSON: ${error}`);
		});
		if (this.#queue === undefined) {
			const step = encoding.next();
			if (step.done) return this.#send(step.value);
		}
		const enqueuing = this.#enqueue(this.#queue, encoding);
		const clearQueue = (): void => {
			if (this.#queue === queueTail) this.#queue = undefined;
		};
		const queueTail = enqueuing.then(clearQueue, clearQueue);
		this.#queue = queueTail;
		const { sent } = await enqueuing;
		return sent;
	}

	/** Resolves when everything was written, or can no longer be written. */
	async waitUntilFlushed(): Promise<void> {
		while (this.#queue !== undefined) await this.#queue;
		if (this.#pendingRejects.size === 0) return;
		await new Promise<void>((resolve) => {
			this.#waiters.push(resolve);
		});
	}

	end(): void {
		this.#options.output.end();
	}

	dispose(): void {}

	/** Encodes a message and sends it after the earlier ones; resolves when the message was passed to the output. */
	async #enqueue(
		previousWrite: Promise<void> | undefined,
		encoding: Generator<void, Chunk[]>,
	): Promise<{ sent: Promise<void> }> {
		await previousWrite;
		let step = encoding.next();
		for (; !step.done; step = encoding.next()) {
			if (this.#lostReason !== undefined) break;
			await pauseForOthers();
		}
		if (this.#lostReason !== undefined || !step.done) throw new Error(this.#lostReason);
		return { sent: this.#send(step.value) };
	}

	#send(chunks: readonly Chunk[]): Promise<void> {
		const { output } = this.#options;
		return new Promise((resolve, reject) => {
			this.#pendingRejects.add(reject);
			for (const chunk of chunks.slice(0, -1)) output.write(chunk);
			output.write(chunks.at(-1) ?? '', (error) => {
				if (error) {
					this.#lose(`the output failed: ${error.message}`);
					return;
				}
				this.#pendingRejects.delete(reject);
				resolve();
				this.#resolveWhenFlushed();
			});
		});
	}

	#lose(reason: string): void {
		if (this.#lostReason !== undefined) return;
		this.#lostReason = reason;
		for (const reject of this.#pendingRejects) reject(new Error(reason));
		this.#pendingRejects.clear();
		this.#resolveWhenFlushed();
		this.#options.onLost(reason);
	}

	#resolveWhenFlushed(): void {
		if (this.#pendingRejects.size > 0) return;
		for (const wake of this.#waiters) wake();
		this.#waiters = [];
	}
}

/** The bytes of one write. A short message stays a string, which the output encodes faster. */
type Chunk = Buffer | string;

/** UTF-16 units that are encoded before other tasks get a turn. */
const unitsPerSlice = 256 * 1024;

/** Encodes a message in its frame, in steps of moderate size. */
function* encodeInSteps(message: unknown, framing: Framing): Generator<void, Chunk[]> {
	const text = stringifyShort(message);
	if (text !== undefined) {
		if (framing === 'ndjson') return [`${text}\n`];
		return [`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`];
	}
	const chunks: Buffer[] = [];
	let pieces: string[] = [];
	let units = 0;
	let bytes = 0;
	const closeChunk = (): void => {
		const chunk = Buffer.from(pieces.join(''));
		chunks.push(chunk);
		bytes += chunk.length;
		pieces = [];
		units = 0;
	};
	for (const piece of stringifyInPieces(message)) {
		pieces.push(piece);
		units += piece.length;
		if (units < unitsPerSlice) continue;
		closeChunk();
		yield;
	}
	if (framing === 'ndjson') pieces.push('\n');
	closeChunk();
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
 * A response whose result or error data has no JSON form becomes an error response (-32603), so that the request is
 * still answered. For any other message without a JSON form, it throws.
 * @param onUnserialisable receives the error of a response
 */
function* encodeMessage(
	message: Message,
	framing: Framing,
	onUnserialisable: (error: unknown) => void,
): Generator<void, Chunk[]> {
	if (!isResponse(message)) return yield* encodeInSteps(message, framing);
	try {
		const { id, error } = message;
		if (error !== undefined) return yield* encodeInSteps(message, framing);
		if (['undefined', 'function', 'symbol'].includes(typeof message.result))
			throw new TypeError('the result has no JSON form');
		return yield* encodeInSteps({ jsonrpc: '2.0', id, result: message.result }, framing);
	} catch (error) {
		onUnserialisable(error);
		const replacement =
			message.error === undefined
				? { code: errorCodes.internalError, message: 'the result cannot be written as JSON' }
				: { code: message.error.code, message: message.error.message };
		return yield* encodeInSteps({ jsonrpc: '2.0', id: message.id, error: replacement }, framing);
	}
}
