import type { Readable } from 'node:stream';
import {
	type DataCallback,
	Emitter,
	type Message,
	type MessageReader,
	type ResponseMessage,
} from 'vscode-jsonrpc/node';
import { errorText } from '../../core/failure.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { createDecoder, parseBody } from './decoder.ts';
import type { FrameLimits, FrameSink } from './frames.ts';
import { shown } from './shown.ts';

/** How the input ended. */
type InputEnd = { kind: 'ended' } | { kind: 'broken'; reason: string };

/** The response to input that is not a valid message. */
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
	/** Whether our request with this id is unanswered. */
	isAwaited(id: string | number): boolean;
	/** Called before each message is passed on; a returned text refuses the message. */
	admit(message: Message): string | undefined;
	onProtocolError(error: ProtocolError): void;
	onIgnored(reason: string): void;
	/** Called once; nothing is read after it. */
	onEnd(end: InputEnd): void;
}

export interface BoundedReader extends MessageReader {
	/** Stops reading until `resume`. */
	pause(): void;
	resume(): void;
	/** Stops reading for good; `onEnd` is not called. */
	stop(): void;
	/** Frames that were read, whatever was in them. */
	readonly frameCount: number;
}

function parseProblem(bytes: Buffer, error: unknown): string {
	if (bytes.length === 0) return 'malformed JSON: the body is empty';
	return `malformed JSON: ${errorText(error)}`;
}

/**
 * Creates a message reader of bounded memory for both framings.
 *
 * Invalid input is answered through `onProtocolError`, and reading continues with the next message. If the start of the
 * next message is unknown, the reader ends as `broken`. It never reports to the connection that the input closed, since
 * the connection would drop its queue.
 */
export function createReader(options: ReaderOptions): BoundedReader {
	const { input } = options;
	const errors = new Emitter<Error>();
	const closes = new Emitter<void>();
	const partials = new Emitter<{ messageToken: number; waitingTime: number }>();
	let isOver = false;
	let frameCount = 0;
	let deliver: DataCallback = () => {};

	function receive(value: unknown): void {
		const screened = screenMessage(value, options.isAwaited);
		if (screened.kind === 'ignored') {
			options.onIgnored(screened.reason);
			return;
		}
		if (screened.kind === 'refused') {
			const message = `invalid message: ${screened.reason}`;
			options.onProtocolError({ id: screened.id, code: errorCodes.invalidRequest, message });
			return;
		}
		const refusal = options.admit(screened.message);
		if (refusal === undefined) {
			deliver(screened.message);
			return;
		}
		options.onProtocolError({ id: screened.id, code: errorCodes.invalidRequest, message: refusal });
	}

	const sink: FrameSink = {
		body(bytes) {
			frameCount++;
			let value: unknown;
			try {
				value = parseBody(bytes);
			} catch (error) {
				const message = parseProblem(bytes, error);
				options.onProtocolError({ id: null, code: errorCodes.parseError, message });
				return;
			}
			receive(value);
		},
		skipped(reason) {
			frameCount++;
			options.onProtocolError({ id: null, code: errorCodes.parseError, message: reason });
		},
		broken(reason) {
			options.onProtocolError({ id: null, code: errorCodes.parseError, message: reason });
			finish({ kind: 'broken', reason });
		},
	};
	const decoder = createDecoder(options.framing, options.limits, sink);

	function onData(chunk: Buffer | string): void {
		if (!isOver) decoder.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
	}
	function onInputEnd(): void {
		if (isOver) return;
		decoder.end();
		finish({ kind: 'ended' });
	}
	function onInputError(error: Error): void {
		finish({ kind: 'broken', reason: `the input failed: ${error.message}` });
	}
	function stop(): void {
		isOver = true;
		input.off('data', onData);
		input.off('end', onInputEnd);
		input.off('close', onInputEnd);
		input.pause();
	}
	function finish(end: InputEnd): void {
		if (isOver) return;
		stop();
		options.onEnd(end);
	}

	return {
		onError: errors.event,
		onClose: closes.event,
		onPartialMessage: partials.event,
		listen(callback) {
			deliver = callback;
			input.on('error', onInputError);
			input.on('end', onInputEnd);
			input.on('close', onInputEnd);
			input.on('data', onData);
			if (input.readableEnded || input.destroyed) onInputEnd();
			return { dispose: stop };
		},
		pause() {
			input.pause();
		},
		resume() {
			if (!isOver) input.resume();
		},
		stop,
		get frameCount() {
			return frameCount;
		},
		dispose() {
			stop();
			errors.dispose();
			closes.dispose();
			partials.dispose();
		},
	};
}

/** How to treat a received JSON value. */
type Screened =
	| { kind: 'message'; message: Message; id: string | number | null }
	| { kind: 'refused'; reason: string; id: string | number | null }
	| { kind: 'ignored'; reason: string };

function isUsableId(id: unknown): id is string | number {
	return typeof id === 'string' || typeof id === 'number';
}

function screenCall(value: Fields): Screened {
	const id = isUsableId(value.id) ? value.id : null;
	if (typeof value.method !== 'string') {
		return { kind: 'refused', reason: `method: expected a string, got ${shown(value.method)}`, id };
	}
	if (value.id !== undefined && id === null) {
		return { kind: 'refused', reason: `id: expected a string or a number, got ${shown(value.id)}`, id };
	}
	if (value.method === '$/cancelRequest') {
		const target = isFields(value.params) ? value.params.id : undefined;
		if (id === null && !isUsableId(target)) {
			return { kind: 'ignored', reason: '$/cancelRequest without the id of a request' };
		}
	}
	return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
}

/**
 * Distinguishes JSON-RPC messages from other values. A missing `jsonrpc` member is accepted.
 *
 * A response to our request with neither result nor error becomes an error response, so that the request ends.
 * @param isAwaited whether our request with this id is unanswered
 */
function screenMessage(value: unknown, isAwaited: (id: string | number) => boolean): Screened {
	if (Array.isArray(value)) {
		return {
			kind: 'refused',
			reason: 'batches are not supported: expected one object, got array',
			id: null,
		};
	}
	if (!isFields(value)) {
		return { kind: 'refused', reason: `expected an object, got ${shown(value)}`, id: null };
	}
	const id = isUsableId(value.id) ? value.id : null;
	if (value.jsonrpc !== undefined && value.jsonrpc !== '2.0') {
		return { kind: 'refused', reason: `jsonrpc: expected "2.0", got ${shown(value.jsonrpc)}`, id };
	}
	if (value.method !== undefined) return screenCall(value);
	const isAnswer = value.result !== undefined || Boolean(value.error);
	if (isAnswer && (id !== null || value.id === null)) {
		return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
	}
	if (id !== null && isAwaited(id)) {
		const error = {
			code: errorCodes.invalidRequest,
			message: 'the response has neither a result nor an error',
		};
		const response: ResponseMessage = { jsonrpc: '2.0', id, error };
		return { kind: 'message', message: response, id };
	}
	return { kind: 'refused', reason: 'expected a request, a notification or a response', id };
}
