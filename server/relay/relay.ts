/** Connects a client to its user's daemon until the client leaves. */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '../core/failure.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { errorCodes } from '../protocol/errors.ts';
import { type Hello, relayMethods } from '../protocol/hello.ts';
import { createFrameDecoder } from '../rpc/wire/decoder.ts';
import { defaultFrameLimits, type FrameDecoder } from '../rpc/wire/frames.ts';
import { connectDaemon, FolderInUseError } from './connectDaemon.ts';
import { type InitializeResponder, RelayConversation, type RelayNotice } from './conversation.ts';
import { frameMessage, serializeMessage } from './messages.ts';
import { type StartDaemon, startDetached } from './startDaemon.ts';
import { SuspensionWatch } from './suspensionWatch.ts';

export interface RelayOptions {
	/** Stream of the client's messages. */
	input: Readable;
	/** Stream of messages to the client. */
	output: Writable;
	/** Standard error, for the log. */
	errors: Writable;
	/** The first line to each daemon, which introduces the client. */
	hello: Hello;
	stateFolder: string;
	framing: Framing;
	/**
	 * Loads the function that answers `initialize` while this process starts a daemon; by default, only the daemon
	 * answers.
	 */
	loadInitializeResponder?(): Promise<InitializeResponder>;
	/** Starts a daemon; by default as a process that outlives this one. */
	startDaemon?: StartDaemon;
	/** Whether this process may end while it is connected; by default false. */
	isBackground?: boolean;
}

export interface Relay {
	/**
	 * Exit code of the client's process: 0 after `shutdown` or at the end of the input, otherwise 1. Rejects with
	 * `LocationRefusedError` or `FolderInUseError` if the state folder cannot have a daemon; no input has been read in this case.
	 */
	exitCode: Promise<number>;
	/** Ends the conversation; running requests have a second to finish. */
	stop(): void;
}

/** Milliseconds for the daemon to finish after `stop`. */
const maxStopMs = 2_000;
/** Milliseconds for a client to read the last bytes unless it closed its input. */
const maxFlushMs = 1_000;
/** Milliseconds for a client to read the last bytes after it closed its input. */
const maxEndedFlushMs = 120_000;
/** Milliseconds for requests to finish after the input became unreadable. */
const maxBrokenMs = 7_000;
/** A connection that lasts this many milliseconds shows that the daemon does not crash at once. */
const minStableMs = 2_000;
/** Milliseconds before a daemon that crashed at once is started again, unless the client needs it. */
const crashPauseMs = 10_000;
/** Limits of the daemon's frames. The body is not limited, because answers may be long. */
const daemonLimits = { headerBytes: defaultFrameLimits.headerBytes, bodyBytes: Number.MAX_SAFE_INTEGER };

/**
 * Forwards a client's messages to the daemon and back. Starts a daemon if none runs. If the daemon ends, continues
 * with the next one.
 */
export function relay(options: RelayOptions): Relay {
	const run = new RelayRun(options);
	return { exitCode: run.run(), stop: () => run.stop() };
}

/** How a connection ended: the daemon's exit code, or the number of messages that the daemon read before it moved aside. */
type ConnectionEnd = { exitCode?: number; receivedCount?: number };

class RelayRun {
	readonly #options: RelayOptions;
	readonly #conversation: RelayConversation;
	readonly #decoder: FrameDecoder;
	readonly #suspensionWatch: SuspensionWatch;
	/** Aborted when this process should no longer be connected to any daemon. */
	readonly #disconnecting = new AbortController();
	#socket: Socket | undefined;
	#daemonProgram: readonly string[];
	/** Why the client's input ended; undefined while it is open. */
	#inputEnd: 'ended' | 'broken' | undefined;
	#isClientGone = false;
	#resolvePause = (): void => {};
	#isStopped = false;
	#isListening = false;

	constructor(options: RelayOptions) {
		this.#options = options;
		this.#daemonProgram = options.hello.program;
		this.#conversation = new RelayConversation({
			sendToClient: (body) => this.#sendToClient(body),
			sendToDaemon: (body) => this.#sendToDaemon(body),
		});
		this.#suspensionWatch = new SuspensionWatch({
			stateFolder: options.stateFolder,
			isWaiting: () => !this.#conversation.isSettled || this.#isClientDone || this.#isSocketFull,
			reportSuspension: (text) => this.#log(text),
			refuseRequests: (text) => {
				this.#conversation.refuseAll(text);
				if (this.#inputEnd === undefined) this.#options.input.resume();
				if (this.#isClientDone) this.#socket?.destroy();
			},
		});
		this.#decoder = createFrameDecoder(options.framing, defaultFrameLimits, {
			receiveBody: (body) => {
				const refusal = this.#isSocketFull ? this.#suspensionWatch.suspension : undefined;
				this.#conversation.receiveFromClient(body, refusal);
			},
			reportSkipped: (reason) => this.#refuseFrame(reason),
			reportBroken: (reason) => {
				this.#refuseFrame(reason);
				this.#endInput('broken');
			},
		});
	}

	async run(): Promise<number> {
		const code = await this.#serveUntilDone(await this.#openFirstConnection());
		this.#endListening();
		this.#suspensionWatch.stop();
		await this.#flush();
		return this.#inputEnd === 'broken' ? 1 : code;
	}

	stop(): void {
		this.#isStopped = true;
		this.#disconnecting.abort();
		const socket = this.#socket;
		socket?.end();
		setTimeout(() => socket?.destroy(), maxStopMs).unref();
	}

	/** Returns the first connection, or undefined if no daemon is available. Starts to read the client's input. */
	async #openFirstConnection(): Promise<Socket | undefined> {
		try {
			const socket = await this.#connect(this.#startDaemonAndAnswer);
			this.#listen();
			return socket;
		} catch (error) {
			const isRefused = error instanceof LocationRefusedError || error instanceof FolderInUseError;
			if (isRefused && !this.#isListening) throw error;
			this.#listen();
			// Waits for the client's first request, which is answered with the error.
			await Promise.race([once(this.#options.input, 'data'), wait(maxFlushMs, undefined, { ref: false })]);
			this.#failRequests(error);
			return undefined;
		}
	}

	/** Serves the client over one connection after another until it leaves; returns the exit code. */
	async #serveUntilDone(firstSocket: Socket | undefined): Promise<number> {
		let quickCrashes = 0;
		for (let socket = firstSocket; socket !== undefined; ) {
			const beganAt = performance.now();
			const { exitCode, receivedCount } = await this.#serve(socket);
			if (exitCode !== undefined) return exitCode;
			if (this.#isClientGone) break;
			const isStable = this.#conversation.isMoving || performance.now() - beganAt > minStableMs;
			quickCrashes = isStable ? 0 : quickCrashes + 1;
			this.#conversation.handleDaemonExit(receivedCount);
			if (quickCrashes > 1 && this.#isIdle) await this.#pause();
			if (this.#disconnecting.signal.aborted) break;
			if (this.#conversation.isOver) return this.#conversation.exitCode;
			if (this.#inputEnd !== undefined && this.#conversation.isSettled) return 0;
			try {
				socket = await this.#connect();
			} catch (error) {
				this.#failRequests(error);
				break;
			}
		}
		return this.#isStopped ? 0 : this.#conversation.exitCode;
	}

	/** Whether the client has sent its last request. */
	get #isClientDone(): boolean {
		return this.#inputEnd !== undefined || this.#conversation.isOver;
	}

	/** Whether the socket's buffer is full: the daemon must read before more is sent. */
	get #isSocketFull(): boolean {
		return this.#socket?.writableNeedDrain === true;
	}

	/** Whether the client stays connected but waits for no answer. */
	get #isIdle(): boolean {
		if (this.#disconnecting.signal.aborted) return false;
		return !this.#isClientDone && this.#conversation.isSettled;
	}

	/** Resolves after 10 s, or as soon as the client sends something or leaves. */
	#pause(): Promise<void> {
		return new Promise((resolve) => {
			this.#resolvePause = resolve;
			this.#disconnecting.signal.addEventListener('abort', () => resolve(), { once: true });
			setTimeout(resolve, crashPauseMs).unref();
		});
	}

	/** Starts a daemon, and answers the client's `initialize` while the daemon loads. */
	readonly #startDaemonAndAnswer: StartDaemon = async (...start) => {
		const { startDaemon = startDetached, loadInitializeResponder } = this.#options;
		const connection = await startDaemon(...start);
		if (loadInitializeResponder !== undefined && !this.#isListening) {
			this.#conversation.answerInitialize(await loadInitializeResponder());
			this.#listen();
		}
		return connection;
	};

	#connect(startDaemon = this.#options.startDaemon ?? startDetached): Promise<Socket> {
		const { hello, stateFolder } = this.#options;
		const { signal } = this.#disconnecting;
		return connectDaemon({ stateFolder, hello, program: this.#daemonProgram, startDaemon, signal });
	}

	/** Logs that no daemon is available, and answers all waiting requests with the error. */
	#failRequests(error: unknown): void {
		if (this.#disconnecting.signal.aborted) return;
		const message = errorText(error);
		this.#log(message);
		this.#conversation.failAll(errorCodes.internalError, message);
	}

	/** Serves the client over one connection; resolves when the connection is closed. */
	#serve(socket: Socket): Promise<ConnectionEnd> {
		const { output, framing } = this.#options;
		const end: ConnectionEnd = {};
		// The socket may have ended or closed before the listeners below are added, because Node already reads it.
		if (socket.closed) return Promise.resolve(end);
		if (socket.readableEnded) socket.destroy();
		const decoder = createFrameDecoder(framing, daemonLimits, {
			receiveBody: (body) => {
				const notice = this.#conversation.receiveFromDaemon(body);
				if (notice !== undefined) this.#handleNotice(notice, end);
			},
			reportSkipped: (reason) => this.#log(`cannot read a message of the daemon: ${reason}`),
			reportBroken: (reason) => {
				this.#log(`cannot read the daemon's output: ${reason}`);
				socket.destroy();
			},
		});
		const resume = (): void => void socket.resume();
		return new Promise((resolve) => {
			socket.on('data', (chunk: Buffer) => {
				this.#suspensionWatch.reset();
				decoder.push(chunk);
				if (output.writableNeedDrain && !this.#isClientGone) socket.pause();
			});
			output.on('drain', resume);
			socket.on('drain', () => {
				this.#suspensionWatch.reset();
				this.#options.input.resume();
			});
			// Not `end()`: in Bun, the socket would never close if the daemon was killed before it read everything.
			socket.on('end', () => socket.destroy());
			socket.on('close', () => {
				output.off('drain', resume);
				this.#socket = undefined;
				this.#suspensionWatch.reset();
				if (this.#inputEnd === undefined) this.#options.input.resume();
				resolve(end);
			});
			this.#socket = socket;
			if (this.#options.isBackground) socket.unref();
			this.#conversation.attachDaemon();
			if (this.#inputEnd !== undefined) this.#endSocket();
			socket.resume();
		});
	}

	#handleNotice({ method, params }: RelayNotice, end: ConnectionEnd): void {
		if (method === relayMethods.log) this.#options.errors.write(String(params.text));
		if (method === relayMethods.exit) end.exitCode = Number(params.code);
		if (method === relayMethods.left) end.receivedCount = Number(params.received);
		if (method !== relayMethods.moved) return;
		const { program } = params;
		if (Array.isArray(program) && program.length > 0) this.#daemonProgram = program.map(String);
		this.#conversation.beginMove();
	}

	readonly #onData = (chunk: Buffer | string): void => {
		this.#decoder.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
		this.#resolvePause();
		this.#suspensionWatch.start();
		// The buffer of a suspended daemon never drains, so the input stays open and the client's further requests are
		// refused.
		if (this.#isSocketFull && this.#suspensionWatch.suspension === undefined) this.#options.input.pause();
	};

	readonly #onInputEnd = (): void => {
		if (this.#inputEnd !== undefined) return;
		this.#decoder.end();
		this.#endInput('ended');
	};

	readonly #onInputError = (error: Error): void => {
		this.#refuseFrame(`the input failed: ${error.message}`);
		this.#endInput('broken');
	};

	readonly #onOutputLost = (): void => {
		this.#isClientGone = true;
		this.#disconnecting.abort();
		this.#socket?.destroy();
	};

	#listen(): void {
		if (this.#isListening) return;
		this.#isListening = true;
		const { input, output } = this.#options;
		input.on('error', this.#onInputError);
		input.on('end', this.#onInputEnd);
		input.on('close', this.#onInputEnd);
		output.on('error', this.#onOutputLost);
		output.on('close', this.#onOutputLost);
		input.on('data', this.#onData);
		input.resume();
		if (input.readableEnded || input.destroyed) this.#onInputEnd();
	}

	#endListening(): void {
		const { input } = this.#options;
		input.off('data', this.#onData);
		input.pause();
	}

	#endInput(reason: 'ended' | 'broken'): void {
		if (this.#inputEnd !== undefined) return;
		this.#inputEnd = reason;
		this.#endListening();
		this.#suspensionWatch.start();
		this.#resolvePause();
		if (this.#socket !== undefined) this.#endSocket();
	}

	/** Closes the sending side of the connection: no further messages follow. */
	#endSocket(): void {
		const socket = this.#socket;
		// Queued messages go to the next daemon.
		if (this.#conversation.isMoving) return;
		socket?.end();
		if (this.#inputEnd === 'broken') setTimeout(() => socket?.destroy(), maxBrokenMs).unref();
	}

	/** Answers bytes that are not a frame, with the error that the daemon sends for an invalid message. */
	#refuseFrame(message: string): void {
		this.#sendToClient(serializeMessage({ id: null, error: { code: errorCodes.parseError, message } }));
	}

	#sendToClient(body: Buffer): void {
		writeChunks(this.#options.output, frameMessage(body, this.#options.framing));
	}

	#sendToDaemon(body: Buffer): void {
		if (this.#socket !== undefined) writeChunks(this.#socket, frameMessage(body, this.#options.framing));
	}

	#log(message: string): void {
		this.#options.errors.write(`contextd: ${message}\n`);
	}

	/** Waits until the client has read everything, 120 s at most after it closed its input and 1 s at most otherwise. */
	async #flush(): Promise<void> {
		const { output } = this.#options;
		if (this.#isClientGone || output.destroyed || output.writableLength === 0) return;
		const limitMs = this.#inputEnd === 'ended' ? maxEndedFlushMs : maxFlushMs;
		await Promise.race([
			new Promise<void>((resolve) => {
				output.write('', () => resolve());
				output.once('close', () => resolve());
			}),
			wait(limitMs, undefined, { ref: false }),
		]);
	}
}

function writeChunks(stream: Writable, chunks: readonly Buffer[]): void {
	if (stream.destroyed || stream.writableEnded) return;
	for (const chunk of chunks) stream.write(chunk);
}
