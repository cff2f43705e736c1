/** Connects to the daemon of a state folder, and starts one if none answers. */

import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorText } from '../core/failure.ts';
import { readFirstLine } from '../daemon/firstLine.ts';
import { type SilentDaemon, waitForSilence } from '../daemon/silence.ts';
import { createStateFolder, findSocket, planSocket, type SocketAddress } from '../daemon/socketAddress.ts';
import { findHolder } from '../node/folderLock.ts';
import { type Hello, type HelloAnswer, maxHelloBytes, parseHelloAnswer } from '../protocol/hello.ts';
import { StartClaim, type StartDaemon } from './startDaemon.ts';

export interface DaemonConnectOptions {
	stateFolder: string;
	hello: Hello;
	/** Command line that starts the daemon, beginning with the program. */
	program: readonly string[];
	startDaemon: StartDaemon;
	signal?: AbortSignal;
}

/** Thrown if no daemon is available; the message is for the user. */
export class DaemonUnreachableError extends Error {}

/** Thrown if the state folder is held by a process that serves no other clients, or by another machine. */
export class FolderInUseError extends DaemonUnreachableError {}

/** Milliseconds that a daemon may take to start if its process is not known to run. */
const maxStartMs = 10_000;
/** Milliseconds that a daemon may take to start while its process runs. */
const maxSlowStartMs = 30_000;
/** Milliseconds for a daemon to answer a hello: if its process runs, and if that is unknown. */
const helloLimits = { runningMs: 10_000, unknownMs: 2_000 };
/** Milliseconds for a daemon to finish before a newer one takes over. */
const maxHandoverMs = 30_000;
/** Milliseconds between two checks for a socket. */
const pollMs = 15;
/** Milliseconds between two attempts to start a daemon. */
const restartMs = 200;

/**
 * Returns a connection to a daemon that has welcomed the client; the stream begins with what the daemon sends after
 * its welcome.
 * @throws DaemonUnreachableError
 * @throws LocationRefusedError if no socket is possible, or its folder is not the user's own
 */
export async function connectDaemon(options: DaemonConnectOptions): Promise<Socket> {
	const { stateFolder, signal } = options;
	const start = new DaemonStart(options);
	try {
		for (;;) {
			signal?.throwIfAborted();
			const address = await findSocket(stateFolder);
			const existing = address && (await connectTo(address));
			const socket = existing ?? (await start.tryStart());
			if (socket === undefined) {
				await wait(pollMs, undefined, { signal });
				continue;
			}
			const { secret } = address ?? {};
			const hello = secret === undefined ? options.hello : { ...options.hello, secret };
			const answer = await exchangeHello(socket, hello, { signal, ...(existing && { stateFolder }) });
			if (answer?.kind === 'welcome') return socket;
			if (answer?.kind === 'refused') {
				socket.destroy();
				throw new DaemonUnreachableError(answer.reason);
			}
			if (answer?.kind === 'movingAside') {
				await waitForClose(socket);
				start.restart();
			}
			socket.destroy();
			await wait(pollMs, undefined, { signal });
		}
	} finally {
		await start.releaseClaim();
	}
}

/** Returns a connection to an address, or undefined if nothing listens there. */
async function connectTo({ path }: SocketAddress): Promise<Socket | undefined> {
	const socket = connect({ path, allowHalfOpen: true });
	ignoreErrors(socket);
	return new Promise((resolve) => {
		socket.once('connect', () => resolve(socket));
		socket.once('close', () => resolve(undefined));
	});
}

/** Ignores errors of a socket, because `close` follows each error and is handled. */
function ignoreErrors(socket: Socket): void {
	socket.on('error', () => {});
}

/** Limits of the wait for an answer to a hello. */
interface HelloWait {
	signal?: AbortSignal;
	/** State folder of a daemon that already runs. Absent for a daemon just started, which has `maxSlowStartMs`. */
	stateFolder?: string;
}

/** Returns the answer to a hello, or undefined if the connection closed or a daemon just started did not answer in time. */
async function exchangeHello(
	socket: Socket,
	hello: Hello,
	{ signal, stateFolder }: HelloWait,
): Promise<HelloAnswer | undefined> {
	socket.write(`${JSON.stringify(hello)}\n`);
	const controller = new AbortController();
	const destroySocket = (): void => void socket.destroy();
	signal?.addEventListener('abort', destroySocket);
	try {
		const line = await (stateFolder === undefined
			? readFirstLine(socket, { maxBytes: maxHelloBytes, timeoutMs: maxSlowStartMs })
			: Promise.race([
					readFirstLine(socket, { maxBytes: maxHelloBytes }),
					waitForSilence(stateFolder, helloLimits, controller.signal),
				]));
		if (typeof line === 'object') throw createSilenceError(line);
		return line === undefined ? undefined : parseHelloAnswer(line);
	} catch (error) {
		socket.destroy();
		throw error instanceof DaemonUnreachableError ? error : new DaemonUnreachableError(errorText(error));
	} finally {
		controller.abort();
		signal?.removeEventListener('abort', destroySocket);
	}
}

function createSilenceError({ pid }: SilentDaemon): DaemonUnreachableError {
	const processText = pid === undefined ? '' : ` (process ${pid})`;
	return new DaemonUnreachableError(
		`the daemon${processText} does not answer; end it with "contextd daemon stop" and try again`,
	);
}

async function waitForClose(socket: Socket): Promise<void> {
	socket.resume();
	const timer = new AbortController();
	await Promise.race([
		new Promise<void>((resolve) => socket.once('close', () => resolve()).once('end', () => resolve())),
		wait(maxHandoverMs, undefined, { signal: timer.signal, ref: false }).catch(() => {}),
	]);
	timer.abort();
}

/** The attempts to start a daemon while none answers. */
class DaemonStart {
	readonly #options: DaemonConnectOptions;
	readonly #claim: StartClaim;
	#beganAt: number | undefined;
	#isProcessRunning = false;
	/** Whether a daemon that does not listen yet holds the folder. */
	#isFolderHeld = false;
	#startedAt = Number.NEGATIVE_INFINITY;
	#holderCheckedAt = 0;

	constructor(options: DaemonConnectOptions) {
		this.#options = options;
		this.#claim = new StartClaim(options.stateFolder);
	}

	/** Restarts the time limit, after a daemon has ended in an orderly way. */
	restart(): void {
		this.#beganAt = undefined;
	}

	/**
	 * Starts a daemon if the next attempt is due. Returns a connection to it, or undefined if the caller should
	 * look for its socket.
	 */
	async tryStart(): Promise<Socket | undefined> {
		const { stateFolder } = this.#options;
		const now = performance.now();
		if (this.#beganAt === undefined) {
			this.#beganAt = now;
			await createStateFolder(stateFolder);
			await planSocket(stateFolder, { runtimeFolder: process.env.XDG_RUNTIME_DIR });
			await this.#checkHolder(now);
		}
		if (now - this.#holderCheckedAt > restartMs) await this.#checkHolder(now);
		const limitMs = this.#isProcessRunning || this.#isFolderHeld ? maxSlowStartMs : maxStartMs;
		if (now - this.#beganAt > limitMs) {
			throw new DaemonUnreachableError(
				`the daemon could not be started within ${limitMs / 1000} s; see "contextd daemon log"`,
			);
		}
		if (this.#isProcessRunning || now - this.#startedAt < restartMs || !(await this.#claim.tryTake()))
			return undefined;
		return this.#start();
	}

	async releaseClaim(): Promise<void> {
		await this.#claim.release();
	}

	async #start(): Promise<Socket | undefined> {
		const { startDaemon, program, stateFolder } = this.#options;
		this.#isProcessRunning = true;
		this.#startedAt = performance.now();
		// A program that cannot be started, or ends, is started again until the time limit.
		const onEnd = (): undefined => {
			this.#isProcessRunning = false;
		};
		const connection = await startDaemon(program, stateFolder, onEnd).catch(onEnd);
		if (connection) ignoreErrors(connection);
		return connection;
	}

	async #checkHolder(now: number): Promise<void> {
		this.#holderCheckedAt = now;
		const holder = await findHolder(this.#options.stateFolder);
		this.#isFolderHeld = holder !== undefined;
		if (holder === undefined || (holder.role !== 'alone' && !holder.isElsewhere)) return;
		const location = holder.isElsewhere ? ` on ${holder.host} (another machine or container)` : '';
		throw new FolderInUseError(
			`${this.#options.stateFolder} is used by process ${holder.pid}${location}, which serves no other clients`,
		);
	}
}
