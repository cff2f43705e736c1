import type { Readable, Writable } from 'node:stream';
import { createMessageConnection, type MessageWriter, type ResponseMessage } from 'vscode-jsonrpc/node';
import type { Framing } from '../protocol/capabilities.ts';
import { type DaemonInitializeResult, initialize, shutdown } from '../protocol/lifecycle.ts';
import type { Logger } from '../session/ports.ts';
import { type ClientConnection, createClient } from './call/client.ts';
import { type HandlerScope, progressCancelMethod, type RunningRequests } from './call/handler.ts';
import type { NotificationMethod, RequestMethod } from './call/method.ts';
import { route } from './call/router.ts';
import { createTrace } from './call/trace.ts';
import { type CheckedInitializeParams, checkInitializeParams } from './initializeParams.ts';
import { createInFlight, Drain } from './lifecycle/drain.ts';
import { Ending } from './lifecycle/ending.ts';
import { createLifecycle } from './lifecycle/lifecycle.ts';
import { watchParent } from './lifecycle/parentWatch.ts';
import { defaultFrameLimits, type FrameLimits } from './wire/frames.ts';
import { BoundedReader, type ProtocolError } from './wire/reader.ts';
import { createWriter } from './wire/writer.ts';

/** LSP's `initialize`. */
function initializeMethod(
	answer: (params: CheckedInitializeParams) => Promise<DaemonInitializeResult>,
): RequestMethod {
	return { method: initialize.method, handle: (params) => answer(checkInitializeParams(params)) };
}

/** LSP's `shutdown`. */
function shutdownMethod(shutDown: () => Promise<void>): RequestMethod {
	return {
		method: shutdown.method,
		async handle() {
			await shutDown();
			return null;
		},
	};
}

export interface ServeOptions {
	input: Readable;
	output: Writable;
	framing: Framing;
	logger: Logger;
	requests: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** Default 4 KiB of header, 256 MiB of body. */
	limits?: Partial<FrameLimits>;
	/** Used if `processId` is absent. */
	clientProcessId?: number;
	/** Whether a process exists (default: asks the system). */
	isAlive?(processId: number): boolean;
	/** Returns the result of `initialize`; an error is sent as response, and the client may retry. */
	onInitialize(
		params: CheckedInitializeParams,
		client: ClientConnection,
	): DaemonInitializeResult | Promise<DaemonInitializeResult>;
	/** Called after the answer to `initialize`; nothing else is served before it resolves. Must not reject. */
	onInitialized?(): Promise<void>;
	/** Called once, before the response to `shutdown` or else before the end: flush and release everything. */
	onShutdown(): void | Promise<void>;
}

/** A connection to one client. */
export interface Server {
	client: ClientConnection;
	/** Resolves when everything is answered, released and flushed; never rejects. */
	exitCode: Promise<number>;
	/** Milliseconds since the client last had an unfinished message; 0 while it has one. */
	idleFor(): number;
	/** Number of messages that were read from the client, including invalid ones. */
	received(): number;
	/** Ends the connection in order, as on a signal: running requests are cancelled after a second. */
	stop(): void;
}

/**
 * Serves one client over a pair of streams until it disconnects.
 * The exit code is 0 after `shutdown`, `stop` or a plain end of input, else 1.
 */
export function serve(options: ServeOptions): Server {
	const { logger, framing } = options;
	const lifecycle = createLifecycle();
	const inFlight = createInFlight();
	const running: RunningRequests = new Map();
	const debug = (message: string) => logger.debug(message);

	const writer = createWriter({
		output: options.output,
		framing,
		logger,
		onLost(reason) {
			logger.debug(reason);
			control.closeOutput();
			ending.begin('gone');
		},
	});

	function answerProtocolError({ id, code, message }: ProtocolError): void {
		logger.warn(`answered ${code}: ${message}`);
		const reply: ResponseMessage = { jsonrpc: '2.0', id, error: { code, message } };
		writer.write(reply).catch((error) => logger.debug(`could not send an error: ${error}`));
	}

	const reader = new BoundedReader({
		input: options.input,
		framing,
		limits: { ...defaultFrameLimits, ...options.limits },
		isAwaited: inFlight.isAwaited,
		admit(message) {
			const refusal = inFlight.received(message);
			if (refusal === undefined) drain.received(message);
			return refusal;
		},
		onProtocolError: answerProtocolError,
		onIgnored: (reason) => debug(`ignored: ${reason}`),
		onEnd: ({ kind }) => ending.begin(kind),
	});
	const drain = new Drain({
		onCrowded: () => reader.pause(),
		onClear: () => reader.resume(),
		onUnfinished: (error) => logger.debug(`could not write a response: ${error}`),
	});
	const connectionWriter: MessageWriter = {
		...writer,
		write(message) {
			inFlight.sending(message);
			return writer.write(message);
		},
	};
	const connection = createMessageConnection(
		reader,
		connectionWriter,
		{ error: debug, warn: debug, info: debug, log: debug },
		{ messageStrategy: drain },
	);
	const control = createClient(connection, logger);
	const trace = createTrace(control.client);
	const scope: HandlerScope = { client: control.client, logger, running };

	let stopWatching = watch(options.clientProcessId);
	function watch(processId: number | undefined): () => void {
		if (processId === undefined) return () => {};
		const onGone = () => {
			logger.info(`the client's process ${processId} has ended`);
			ending.begin('gone');
		};
		return watchParent({ processId, onGone, isAlive: options.isAlive });
	}

	const ending = new Ending({
		drain,
		lifecycle,
		running,
		unanswered: inFlight.unanswered,
		logger,
		stopInput() {
			reader.stop();
			stopWatching();
			control.closeInput();
		},
		release: () => options.onShutdown(),
		flushed: writer.flushed,
		close() {
			control.closeOutput();
			connection.dispose();
		},
	});

	route(connection, lifecycle, scope, {
		requests: options.requests,
		notifications: [...options.notifications, progressCancelMethod(running), trace.notification],
		trace,
		initialize: initializeMethod(async (params) => {
			const result = await options.onInitialize(params, control.client);
			trace.set(params.trace ?? 'off');
			if (params.processId !== undefined) {
				stopWatching();
				stopWatching = watch(params.processId);
			}
			return result;
		}),
		prepare: options.onInitialized ?? (async () => {}),
		shutdown: shutdownMethod(() => ending.shutDown()),
		onExit: () => ending.begin('exit'),
	});
	connection.listen();
	return {
		client: control.client,
		exitCode: ending.exitCode,
		idleFor: () => drain.idleFor(),
		received: () => reader.frameCount,
		stop: () => ending.begin('stopped'),
	};
}
