import type { Readable } from 'node:stream';
import {
	type DataCallback,
	type Disposable,
	Event,
	type Message,
	type MessageReader,
	type ResponseMessage,
} from 'vscode-jsonrpc/node';
import { errorText } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { createFrameDecoder, parseBody } from './decoder.ts';
import { describeReceived } from './describeValue.ts';
import type { FrameDecoder, FrameLimits } from './frames.ts';

type EndOfInput = 'ended' | 'broken';

/** The error response to input that is not a valid message. */
export interface ProtocolError {
	id: string | number | null;
	/** -32700 or -32600. */
	code: number;
	message: string;
}

export interface ReaderOptions {
	input: Readable;
	framing: Framing;
	limits: FrameLimits;
	/** Returns whether a request of this side with this id is unanswered. */
	isAwaited(id: string | number): boolean;
	/** Called before each message is passed on; returns a reason if the message is to be refused. */
	admit(message: Message): string | undefined;
	onProtocolError(error: ProtocolError): void;
	onIgnored(reason: string): void;
	/** Called once, when reading ends. */
	onEnd(end: EndOfInput): void;
}

/**
 * Reads messages of both framings, in bounded memory.
 *
 * Invalid input is answered through `onProtocolError`, and reading continues with the next message. If the start of
 * the next message cannot be found, the reader ends as `broken`. It never tells the connection that the input closed,
 * because the connection would then drop its queue. `onEnd` is called at most once, and not after `stop`.
 */
export class BoundedReader implements MessageReader {
	readonly #options: ReaderOptions;
	readonly #decoder: FrameDecoder;
	#isOver = false;
	#frameCount = 0;
	#deliver: DataCallback = () => {};

	readonly onError = Event.None;
	readonly onClose = Event.None;
	readonly onPartialMessage = Event.None;

	constructor(options: ReaderOptions) {
		this.#options = options;
		this.#decoder = createFrameDecoder(options.framing, options.limits, {
			receiveBody: (bytes) => this.#readBody(bytes),
			reportSkipped: (reason) => this.#skip(reason),
			reportBroken: (reason) => this.#breakOff(reason),
		});
	}

	/** Number of frames that were read, including invalid ones. */
	get frameCount(): number {
		return this.#frameCount;
	}

	listen(callback: DataCallback): Disposable {
		const { input } = this.#options;
		this.#deliver = callback;
		input.on('error', this.#onInputError);
		input.on('end', this.#onInputEnd);
		input.on('close', this.#onInputEnd);
		input.on('data', this.#onData);
		if (input.readableEnded || input.destroyed) this.#onInputEnd();
		return { dispose: () => this.stop() };
	}

	/** Stops reading until `resume`. */
	pause(): void {
		this.#options.input.pause();
	}

	resume(): void {
		if (!this.#isOver) this.#options.input.resume();
	}

	/** Stops reading for good; `onEnd` is not called. */
	stop(): void {
		const { input } = this.#options;
		this.#isOver = true;
		input.off('data', this.#onData);
		input.off('end', this.#onInputEnd);
		input.off('close', this.#onInputEnd);
		input.pause();
	}

	dispose(): void {
		this.stop();
	}

	readonly #onData = (chunk: Buffer | string): void => {
		if (!this.#isOver) this.#decoder.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
	};

	readonly #onInputEnd = (): void => {
		if (this.#isOver) return;
		this.#decoder.end();
		this.#finish('ended');
	};

	readonly #onInputError = (): void => this.#finish('broken');

	#finish(end: EndOfInput): void {
		if (this.#isOver) return;
		this.stop();
		this.#options.onEnd(end);
	}

	#readBody(bytes: Buffer): void {
		this.#frameCount++;
		let value: unknown;
		try {
			value = parseBody(bytes);
		} catch (error) {
			const problem = bytes.length === 0 ? 'the body is empty' : errorText(error);
			this.#refuse(null, errorCodes.parseError, `malformed JSON: ${problem}`);
			return;
		}
		this.#receive(value);
	}

	#skip(reason: string): void {
		this.#frameCount++;
		this.#refuse(null, errorCodes.parseError, reason);
	}

	#breakOff(reason: string): void {
		this.#refuse(null, errorCodes.parseError, reason);
		this.#finish('broken');
	}

	#receive(value: unknown): void {
		const { isAwaited, admit, onIgnored } = this.#options;
		const verdict = screenMessage(value, isAwaited);
		if (verdict.kind === 'ignored') {
			onIgnored(verdict.reason);
			return;
		}
		if (verdict.kind === 'refused') {
			this.#refuse(verdict.id, errorCodes.invalidRequest, `invalid message: ${verdict.reason}`);
			return;
		}
		const refusal = admit(verdict.message);
		if (refusal === undefined) this.#deliver(verdict.message);
		else this.#refuse(verdict.id, errorCodes.invalidRequest, refusal);
	}

	#refuse(id: ProtocolError['id'], code: number, message: string): void {
		this.#options.onProtocolError({ id, code, message });
	}
}

/** A received JSON value: a message, or why it is refused or ignored. */
type ScreenedMessage =
	| { kind: 'message'; message: Message; id: string | number | null }
	| { kind: 'refused'; reason: string; id: string | number | null }
	| { kind: 'ignored'; reason: string };

function isUsableId(id: unknown): id is string | number {
	return typeof id === 'string' || typeof id === 'number';
}

function refuse(reason: string, id: string | number | null): ScreenedMessage {
	return { kind: 'refused', reason, id };
}

function screenRequest(value: Fields): ScreenedMessage {
	const id = isUsableId(value.id) ? value.id : null;
	if (typeof value.method !== 'string')
		return refuse(`method: expected a string, got ${describeReceived(value.method)}`, id);
	if (value.id !== undefined && id === null)
		return refuse(`id: expected a string or a number, got ${describeReceived(value.id)}`, id);
	if (value.method === '$/cancelRequest') {
		const target = isFields(value.params) ? value.params.id : undefined;
		if (id === null && !isUsableId(target))
			return { kind: 'ignored', reason: '$/cancelRequest without the id of a request' };
	}
	return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
}

/**
 * Distinguishes JSON-RPC messages from other values. A missing `jsonrpc` member is accepted.
 *
 * A response to this side's request that has neither a result nor an error becomes an error response, so that the
 * request ends.
 * @param isAwaited returns whether this side's request with this id is unanswered
 */
function screenMessage(value: unknown, isAwaited: (id: string | number) => boolean): ScreenedMessage {
	if (Array.isArray(value)) return refuse('batches are not supported: expected one object, got array', null);
	if (!isFields(value)) return refuse(`expected an object, got ${describeReceived(value)}`, null);
	const id = isUsableId(value.id) ? value.id : null;
	if (value.jsonrpc !== undefined && value.jsonrpc !== '2.0')
		return refuse(`jsonrpc: expected "2.0", got ${describeReceived(value.jsonrpc)}`, id);
	if (value.method !== undefined) return screenRequest(value);
	const isAnswer = value.result !== undefined || Boolean(value.error);
	if (isAnswer && (id !== null || value.id === null))
		return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
	if (id !== null && isAwaited(id)) {
		const error = {
			code: errorCodes.invalidRequest,
			message: 'the response has neither a result nor an error',
		};
		const response: ResponseMessage = { jsonrpc: '2.0', id, error };
		return { kind: 'message', message: response, id };
	}
	return refuse('expected a request, a notification or a response', id);
}
