import type { Readable, Writable } from 'node:stream';
import {
	createMessageConnection,
	type MessageConnection,
	type MessageWriter,
	type ResponseMessage,
} from 'vscode-jsonrpc/node';
import type { Framing } from '../protocol/capabilities.ts';
import { type DaemonInitializeResult, initialize, shutdown } from '../protocol/lifecycle.ts';
import type { Logger } from '../session/ports.ts';
import { type ClientControl, type ConnectedClient, createClient } from './call/client.ts';
import type { NotificationMethod, RequestMethod } from './call/define.ts';
import { createProgressCancelMethod, type HandlerScope, type RunningRequests } from './call/handler.ts';
import { routeMessages } from './call/router.ts';
import { Trace } from './call/trace.ts';
import { type CheckedInitializeParams, checkInitializeParams } from './initializeParams.ts';
import { Drain, RequestRecord } from './lifecycle/drain.ts';
import { ConversationEnding } from './lifecycle/ending.ts';
import { Lifecycle } from './lifecycle/lifecycle.ts';
import { watchParent } from './lifecycle/parentWatch.ts';
import { defaultFrameLimits, type FrameLimits } from './wire/frames.ts';
import { BoundedReader, type ProtocolError } from './wire/reader.ts';
import { OutputWriter } from './wire/writer.ts';

export interface ServeOptions {
	input: Readable;
	output: Writable;
	framing: Framing;
	logger: Logger;
	requests: readonly RequestMethod[];
	/** Handlers of the commands that have no request of the same name; by default none. */
	commands?: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** Size limits of a frame; by default 4 KiB of header and 256 MiB of body. */
	limits?: Partial<FrameLimits>;
	/** Process to watch if `initialize` names none. */
	clientProcessId?: number;
	/** Returns whether a process exists; by default asks the system. */
	isAlive?(processId: number): boolean;
	/** Returns the result of `initialize`; an error is sent as response, and the client may retry. */
	onInitialize(
		params: CheckedInitializeParams,
		client: ConnectedClient,
	): DaemonInitializeResult | Promise<DaemonInitializeResult>;
	/** Called after the answer to `initialize`; nothing else is served before it resolves. Must not reject. */
	onInitialized?(): Promise<void>;
	/** Flushes and releases everything. Called once, before the response to `shutdown` or, without one, before the end. */
	onShutdown(): void | Promise<void>;
}

/**
 * Serves one client over a pair of streams until it disconnects.
 *
 * A message is counted when it is read, and a request is in flight until its response is passed to the writer. The
 * reply to an invalid message completes no request, although a valid request may have the same id.
 */
export class Server {
	readonly #options: ServeOptions;
	readonly #lifecycle = new Lifecycle();
	readonly #requestRecord = new RequestRecord();
	readonly #runningRequests: RunningRequests = new Map();
	readonly #writer: OutputWriter;
	readonly #reader: BoundedReader;
	readonly #drain: Drain;
	readonly #connection: MessageConnection;
	readonly #clientControl: ClientControl;
	readonly #ending: ConversationEnding;
	#stopWatching: () => void;
	readonly client: ConnectedClient;
	/**
	 * Resolves when everything is answered, released and flushed; never rejects.
	 * The value is 0 after `shutdown`, `stop` or a plain end of input, else 1.
	 */
	readonly exitCode: Promise<number>;

	constructor(options: ServeOptions) {
		const { output, framing, logger } = options;
		this.#options = options;
		this.#writer = new OutputWriter({ output, framing, logger, onLost: this.#loseOutput });
		this.#reader = this.#createReader();
		this.#drain = new Drain({
			onQueueFull: () => this.#reader.pause(),
			onQueueShort: () => this.#reader.resume(),
			onHandlingFailed: (error) => logger.debug(`could not write a response: ${error}`),
		});
		this.#connection = this.#createConnection();
		this.#clientControl = createClient(this.#connection, logger);
		this.client = this.#clientControl.client;
		this.#stopWatching = this.#watchProcess(options.clientProcessId);
		this.#ending = this.#createEnding();
		this.exitCode = this.#ending.exitCode;
		this.#route();
		this.#connection.listen();
	}

	/** Returns the milliseconds since the client last had an unfinished message; 0 while it has one. */
	getIdleMs(): number {
		return this.#drain.getIdleMs();
	}

	/** Returns the number of messages that were read from the client, including invalid ones. */
	getReceivedCount(): number {
		return this.#reader.frameCount;
	}

	/** Ends the connection in an orderly way, as on a signal: running requests are cancelled after a second. */
	stop(): void {
		this.#ending.begin('stopped');
	}

	#createReader(): BoundedReader {
		const { input, framing, limits, logger } = this.#options;
		return new BoundedReader({
			input,
			framing,
			limits: { ...defaultFrameLimits, ...limits },
			isAwaited: (id) => this.#requestRecord.isAwaitingAnswer(id),
			admit: (message) => {
				const refusal = this.#requestRecord.recordReceived(message);
				if (refusal === undefined) this.#drain.countReceived(message);
				return refusal;
			},
			onProtocolError: (error) => this.#answerProtocolError(error),
			onIgnored: (reason) => logger.debug(`ignored: ${reason}`),
			onEnd: (end) => this.#ending.begin(end),
		});
	}

	#createConnection(): MessageConnection {
		const writer = this.#writer;
		const recording: MessageWriter = {
			onError: writer.onError,
			onClose: writer.onClose,
			write: (message) => {
				this.#requestRecord.recordSent(message);
				return writer.write(message);
			},
			end: () => writer.end(),
			dispose: () => writer.dispose(),
		};
		const debug = (message: string): void => this.#options.logger.debug(message);
		const log = { error: debug, warn: debug, info: debug, log: debug };
		return createMessageConnection(this.#reader, recording, log, { messageStrategy: this.#drain });
	}

	#createEnding(): ConversationEnding {
		return new ConversationEnding({
			drain: this.#drain,
			lifecycle: this.#lifecycle,
			runningRequests: this.#runningRequests,
			listUnanswered: () => this.#requestRecord.listUnanswered(),
			logger: this.#options.logger,
			stopInput: () => {
				this.#reader.stop();
				this.#stopWatching();
				this.#clientControl.closeInput();
			},
			release: () => this.#options.onShutdown(),
			waitUntilFlushed: () => this.#writer.waitUntilFlushed(),
			close: () => {
				this.#clientControl.closeOutput();
				this.#connection.dispose();
			},
		});
	}

	#route(): void {
		const { logger, requests, commands = [], notifications, onInitialized } = this.#options;
		const { client } = this;
		const trace = new Trace(client);
		const scope: HandlerScope = { client, logger, runningRequests: this.#runningRequests };
		routeMessages(this.#connection, this.#lifecycle, scope, {
			requests,
			commands,
			notifications: [
				...notifications,
				createProgressCancelMethod(this.#runningRequests),
				trace.setTraceMethod,
			],
			trace,
			initialize: {
				method: initialize.method,
				handle: async (receivedParams) => {
					const params = checkInitializeParams(receivedParams);
					const result = await this.#options.onInitialize(params, client);
					trace.set(params.trace ?? 'off');
					if (params.processId !== undefined) {
						this.#stopWatching();
						this.#stopWatching = this.#watchProcess(params.processId);
					}
					return result;
				},
			},
			afterInitialize: onInitialized ?? (async () => {}),
			shutdown: {
				method: shutdown.method,
				handle: async () => {
					await this.#ending.shutDown();
					return null;
				},
			},
			onExit: () => this.#ending.begin('exit'),
		});
	}

	#watchProcess(processId: number | undefined): () => void {
		if (processId === undefined) return () => {};
		const onGone = () => {
			this.#options.logger.info(`the client's process ${processId} has ended`);
			this.#ending.begin('gone');
		};
		return watchParent({ processId, onGone, isAlive: this.#options.isAlive });
	}

	readonly #loseOutput = (reason: string): void => {
		this.#options.logger.debug(reason);
		this.#clientControl.closeOutput();
		this.#ending.begin('gone');
	};

	#answerProtocolError({ id, code, message }: ProtocolError): void {
		const { logger } = this.#options;
		logger.warn(`answered ${code}: ${message}`);
		const reply: ResponseMessage = { jsonrpc: '2.0', id, error: { code, message } };
		this.#writer.write(reply).catch((error) => logger.debug(`could not send an error: ${error}`));
	}
}
