/** The daemon of a state folder: one process that serves all clients of a user. */

import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode, errorText, isMissingFileError } from '../core/failure.ts';
import { FolderHeldError, type FolderLock, takeFolderLock } from '../node/folderLock.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import {
	type DaemonStatus,
	type Hello,
	type HelloAnswer,
	helloProtocol,
	type MovedParams,
	maxHelloBytes,
	type ParsedHello,
	parseHello,
} from '../protocol/hello.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Logger } from '../session/ports.ts';
import { ClientConnection, closeSocket, type ServeClient } from './clientConnection.ts';
import { readFirstLine } from './firstLine.ts';
import { isNewerVersion } from './isNewerVersion.ts';
import { type ListenAddress, planSocket, prepareAddress, type SocketOptions } from './socketAddress.ts';
import { DaemonWatch } from './watchDaemon.ts';

/** How a daemon serves its clients, keeps its sessions, and notices a newer program. */
export interface DaemonOptions {
	stateFolder: string;
	/** Semantic version of this program. */
	version: string;
	socketOptions?: SocketOptions;
	/** Connection of the first client, passed by the process that started this one. */
	starterConnection?: Socket;
	serveClient: ServeClient;
	/** Returns the daemon's settings, which its clients may change. */
	readSettings(): Settings['daemon'];
	countOpenSessions(): number;
	/** Closes up to `count` sessions that no client uses, least recently used first. */
	closeIdleSessions(count: number): Promise<void>;
	/** Returns whether the daemon stays alive because it records sessions; by default false. */
	isRecording?(): boolean;
	/** Flushes and closes all sessions. */
	close(): Promise<void>;
	/** Returns whether the program's file was replaced since the start. */
	isReplaced(): boolean;
	log: Logger;
	/** Milliseconds between two checks of folder, socket and memory; by default 1,000. */
	watchIntervalMs?: number;
	/** Milliseconds for running requests to finish when another daemon takes over; by default 10,000. */
	maxDrainMs?: number;
}

export type RunningDaemon = Pick<Daemon, 'exitCode' | 'stop' | 'isOwner'>;

/** Milliseconds for a relay to send its hello. */
const maxHelloMs = 10_000;
/** Milliseconds to wait for another process of this machine that may be about to release the folder. */
const maxHandoverMs = 500;
/** Milliseconds to flush and close all sessions. */
const maxCloseMs = 10_000;
const pollMs = 20;

/**
 * Takes the state folder and serves its clients.
 * @throws FolderHeldError if another process serves the folder
 * @throws LocationRefusedError if no socket is possible there, or the folder was removed
 */
export async function serveDaemon(options: DaemonOptions): Promise<RunningDaemon> {
	await planSocket(options.stateFolder, options.socketOptions);
	const lock = await takeLockWhenFree(options.stateFolder);
	const daemon = new Daemon(options, lock);
	try {
		await daemon.listen();
	} catch (error) {
		await lock.release();
		throw error;
	}
	if (options.starterConnection) daemon.accept(options.starterConnection);
	daemon.watch();
	return daemon;
}

async function takeLockWhenFree(stateFolder: string): Promise<FolderLock> {
	const until = performance.now() + maxHandoverMs;
	for (;;) {
		try {
			return await takeFolderLock(stateFolder, 'daemon');
		} catch (error) {
			if (isMissingFileError(error)) throw new LocationRefusedError(`${stateFolder} is gone`);
			const isLocal = error instanceof FolderHeldError && !error.holder.isElsewhere;
			if (!isLocal || performance.now() > until) throw error;
			await wait(pollMs);
		}
	}
}

class Daemon {
	readonly #options: DaemonOptions;
	readonly #lock: FolderLock;
	readonly #clients = new Set<ClientConnection>();
	/** Connections of relays that wait for the next daemon. */
	readonly #waiting = new Set<Socket>();
	/** Resolves with 0 after an orderly end, with 1 if another process took the folder. Never rejects. */
	readonly exitCode: Promise<number>;
	#resolveExit: (code: number) => void = () => {};
	#watch?: DaemonWatch;
	#server?: Server;
	#address?: ListenAddress;
	/** Number of welcomed clients that are not in `#clients` yet. */
	#openingClients = 0;
	#handover: MovedParams | undefined;
	#startedAt = performance.now();
	#idleSince = performance.now();

	constructor(options: DaemonOptions, lock: FolderLock) {
		this.#options = options;
		this.#lock = lock;
		this.exitCode = new Promise((resolve) => {
			this.#resolveExit = resolve;
		});
	}

	/** Whether this process still owns the state folder. */
	isOwner(): Promise<boolean> {
		return this.#lock.check();
	}

	/** Listens at a new socket; connections through an earlier socket stay open. */
	async listen(): Promise<void> {
		const { socketOptions } = this.#options;
		this.#server?.close();
		try {
			await this.#listenAtSocket(socketOptions);
		} catch (error) {
			if (!hasNoSockets(error)) throw error;
			await this.#listenAtSocket({ ...socketOptions, isSocketUnsupported: true });
		}
	}

	async #listenAtSocket(socketOptions?: SocketOptions): Promise<void> {
		const { stateFolder, log } = this.#options;
		const address = await prepareAddress(stateFolder, socketOptions);
		this.#address = address;
		this.#server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
		this.#server.listen(address.path);
		await once(this.#server, 'listening');
		this.#server.on('error', (error) => log.error(`the socket failed: ${errorText(error)}`));
		if (process.platform !== 'win32') await chmod(address.path, 0o600);
		log.info(`listening at ${address.path}`);
	}

	watch(): void {
		this.#watch = new DaemonWatch(this.#options, {
			lock: this.#lock,
			clients: this.#clients,
			getIdleMs: () =>
				this.#clients.size > 0 || this.#options.isRecording?.() ? 0 : performance.now() - this.#idleSince,
			isListening: async () => (await this.#address?.exists()) ?? false,
			listen: () => this.listen(),
			shutDown: (reason) => this.#shutDown(reason),
			abandon: (reason) => this.#abandon(reason),
		});
	}

	/** Hands over to another daemon: running requests finish, and clients connect to that daemon. */
	stop(): void {
		this.#shutDown('it was asked to stop');
	}

	/** Serves a newly connected client. */
	accept(socket: Socket): void {
		socket.on('error', (error) => this.#options.log.debug(`a connection failed: ${errorText(error)}`));
		this.#greet(socket).catch((error) => {
			this.#options.log.error(`a client could not be served: ${errorText(error)}`);
			socket.destroy();
		});
	}

	async #greet(socket: Socket): Promise<void> {
		const line = await readFirstLine(socket, { maxBytes: maxHelloBytes, timeoutMs: maxHelloMs });
		if (line === undefined) return void socket.destroy();
		const parsed = parseHello(line);
		if (parsed.kind !== 'foreign' && this.#address?.secret !== undefined) this.#checkSecret(parsed);
		if (parsed.kind === 'status') {
			sendLine(socket, this.#createStatus());
			return void closeSocket(socket);
		}
		const reason = this.#findReasonToMove(parsed);
		if (reason !== undefined) {
			sendLine(socket, { kind: 'movingAside' });
			this.#waiting.add(socket);
			socket.once('close', () => this.#waiting.delete(socket));
			return this.#shutDown(reason.text, reason.params);
		}
		if (parsed.kind === 'foreign') {
			sendLine(socket, { kind: 'refused', reason: this.#describeRefusal(parsed) });
			return void closeSocket(socket);
		}
		sendLine(socket, { kind: 'welcome', version: this.#options.version, pid: process.pid });
		const client = await this.#openConnection(socket, parsed.hello);
		await client.ended;
		// While another daemon replaces this one, even a connection whose conversation has ended stays open.
		if (this.#handover) return;
		this.#clients.delete(client);
		this.#idleSince = performance.now();
	}

	async #openConnection(socket: Socket, hello: Hello): Promise<ClientConnection> {
		this.#openingClients++;
		try {
			const client = await ClientConnection.open(socket, hello, this.#options.serveClient);
			this.#clients.add(client);
			if (this.#handover) client.announceMove(this.#handover);
			return client;
		} finally {
			this.#openingClients--;
		}
	}

	#checkSecret(parsed: Exclude<ParsedHello, { kind: 'foreign' }>): void {
		const secret = parsed.kind === 'hello' ? parsed.hello.secret : parsed.secret;
		if (secret !== this.#address?.secret) throw new Error('its secret is wrong');
	}

	#createStatus(): DaemonStatus {
		return {
			version: this.#options.version,
			pid: process.pid,
			clients: this.#clients.size,
			sessions: this.#options.countOpenSessions(),
			memoryBytes: process.memoryUsage.rss(),
			uptime: Math.round((performance.now() - this.#startedAt) / 1000),
		};
	}

	#findReasonToMove(
		parsed: Exclude<ParsedHello, { kind: 'status' }>,
	): { text: string; params?: MovedParams } | undefined {
		if (this.#handover) return { text: 'moving already' };
		const { version, program } = parsed.kind === 'hello' ? parsed.hello : parsed;
		if (isNewerVersion(version, this.#options.version))
			return { text: `contextd ${version} takes over`, params: { ...(program && { program }) } };
		return this.#options.isReplaced() ? { text: 'the program was replaced' } : undefined;
	}

	#describeRefusal({ protocol, version }: { protocol: number; version: string }): string {
		const ownVersion = this.#options.version;
		return `the running daemon is contextd ${ownVersion} (protocol ${helloProtocol}) and this client's contextd is ${version} (protocol ${protocol}): restart the client with the newer one`;
	}

	#shutDown(reason: string, params: MovedParams = {}): void {
		if (this.#handover) return;
		this.#handover = params;
		this.#options.log.info(`ending: ${reason}`);
		this.#finish(params).catch((error) => {
			this.#options.log.error(`could not shut down cleanly: ${errorText(error)}`);
			this.#resolveExit(1);
		});
	}

	async #finish(params: MovedParams): Promise<void> {
		const { maxDrainMs = 10_000, close } = this.#options;
		this.#watch?.stop();
		const clients = this.#clients;
		for (const client of clients) client.announceMove(params);
		const until = performance.now() + maxDrainMs;
		const isBusy = (): boolean => this.#openingClients > 0 || [...clients].some((client) => client.isBusy);
		while (isBusy() && performance.now() < until) await wait(pollMs);
		await Promise.all(Array.from(clients, (client) => client.drain()));
		await Promise.race([close(), wait(maxCloseMs, undefined, { ref: false })]);
		this.#server?.close();
		await this.#address?.clear();
		await this.#lock.release();
		// Waiting clients start the next daemon when their socket closes, so the lock must be released first.
		for (const socket of this.#waiting) void closeSocket(socket);
		await Promise.all(Array.from(clients, (client) => client.close()));
		this.#resolveExit(0);
	}

	/** Ends without another write: another process owns the sessions. */
	#abandon(reason: string): void {
		this.#handover = {};
		this.#options.log.error(reason);
		this.#watch?.stop();
		this.#server?.close();
		this.#resolveExit(1);
	}
}

/**
 * Returns whether `listen` may have failed because the folder's file system has no sockets, such as one shared with a
 * virtual machine.
 */
function hasNoSockets(error: unknown): boolean {
	return ['EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error));
}

function sendLine(socket: Socket, answer: HelloAnswer | DaemonStatus): void {
	socket.write(`${JSON.stringify(answer)}\n`);
}
