import type { Readable } from 'node:stream';
import { type DataCallback, Emitter, type Message, type MessageReader } from 'vscode-jsonrpc/node';
import { errorText } from '../../core/failure.ts';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { createContentLengthDecoder } from './contentLength.ts';
import type { FrameLimits, FrameSink } from './frames.ts';
import { screenMessage } from './messageShape.ts';
import { createLineDecoder } from './ndjson.ts';

/** How the input came to its end. */
type InputEnd = { kind: 'ended' } | { kind: 'broken'; reason: string };

/** An answer to something that was no request. */
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
	/** Whether a request of ours with that id is unanswered. */
	isAwaited(id: string | number): boolean;
	/** Asked before each message is handed on; a text refuses it, and says why. */
	admit(message: Message): string | undefined;
	onProtocolError(error: ProtocolError): void;
	onIgnored(reason: string): void;
	/** Called once; nothing is read after it. */
	onEnd(end: InputEnd): void;
}

export interface BoundedReader extends MessageReader {
	/** Holds the input back until `resume`. */
	pause(): void;
	resume(): void;
	/** Reads nothing more; `onEnd` is not called. */
	stop(): void;
}

const byteOrderMark = 0xfeff;

function parseBody(bytes: Buffer): unknown {
	const text = bytes.toString('utf8');
	return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
}

function parseProblem(bytes: Buffer, error: unknown): string {
	if (bytes.length === 0) return 'malformed JSON: the body is empty';
	return `malformed JSON: ${errorText(error)}`;
}

/**
 * A message reader of bounded memory for both framings. What is no message is answered through
 * `onProtocolError` and the next message is served; where the next one starts is unknown, the reader ends
 * as `broken`. It never tells the connection that the input closed, since that would drop what is queued.
 */
export function createReader(options: ReaderOptions): BoundedReader {
	const { input } = options;
	const errors = new Emitter<Error>();
	const closes = new Emitter<void>();
	const partials = new Emitter<{ messageToken: number; waitingTime: number }>();
	let isOver = false;
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
			options.onProtocolError({ id: null, code: errorCodes.parseError, message: reason });
		},
		broken(reason) {
			options.onProtocolError({ id: null, code: errorCodes.parseError, message: reason });
			finish({ kind: 'broken', reason });
		},
	};
	const decoder =
		options.framing === 'ndjson'
			? createLineDecoder(options.limits, sink)
			: createContentLengthDecoder(options.limits, sink);

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
		dispose() {
			stop();
			errors.dispose();
			closes.dispose();
			partials.dispose();
		},
	};
}
