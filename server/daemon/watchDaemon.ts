/** Checks once a second whether the daemon is still needed and can be reached. */

import { stat } from 'node:fs/promises';
import { errorText, ifExists } from '../core/failure.ts';
import type { FolderLock } from '../node/folderLock.ts';
import type { ClientConnection } from './clientConnection.ts';
import type { DaemonOptions } from './serveDaemon.ts';

/** The parts of a daemon that the watch uses. */
export interface WatchedDaemon {
	lock: FolderLock;
	clients: ReadonlySet<ClientConnection>;
	/** Milliseconds without a client; 0 while a client is connected or sessions are recorded. */
	getIdleMs(): number;
	isListening(): Promise<boolean>;
	listen(): Promise<void>;
	/** Shuts the daemon down gracefully: completes running requests and releases the folder. */
	shutDown(reason: string): void;
	/** Ends the daemon at once. */
	abandon(reason: string): void;
}

const defaultWatchMs = 1_000;
/** Number of checks without a socket after which a daemon without clients ends. */
const checksBeforeEnd = 5;
/** Share of the open sessions that are closed at a time while too much memory is used. */
const closedSessionShare = 1 / 8;

/** Watches a daemon until `stop`. Checks never overlap, and an error that repeats is logged once. */
export class DaemonWatch {
	readonly #options: DaemonOptions;
	readonly #daemon: WatchedDaemon;
	#timer: NodeJS.Timeout;
	#isOver = false;
	#lastProblem = '';
	/** Number of the newest checks at which the socket was missing. */
	#missingChecks = 0;

	constructor(options: DaemonOptions, daemon: WatchedDaemon) {
		this.#options = options;
		this.#daemon = daemon;
		this.#timer = this.#schedule();
	}

	stop(): void {
		this.#isOver = true;
		clearTimeout(this.#timer);
	}

	#schedule(): NodeJS.Timeout {
		return setTimeout(() => this.#watch(), this.#options.watchIntervalMs ?? defaultWatchMs);
	}

	async #watch(): Promise<void> {
		try {
			await this.#checkOnce();
			this.#lastProblem = '';
		} catch (error) {
			const problem = errorText(error);
			if (problem !== this.#lastProblem) this.#options.log.error(problem);
			this.#lastProblem = problem;
		}
		if (!this.#isOver) this.#timer = this.#schedule();
	}

	async #checkOnce(): Promise<void> {
		const daemon = this.#daemon;
		const { stateFolder, readSettings, log } = this.#options;
		for (const client of daemon.clients) {
			if (client.dropIfStuck()) log.warn('disconnected a client that had stopped reading');
		}
		await limitMemory(this.#options);
		if ((await ifExists(stat(stateFolder))) === undefined) {
			// While a client is connected, its next write creates the folder again.
			if (daemon.clients.size === 0) daemon.shutDown('the state folder is gone');
			return;
		}
		if (daemon.getIdleMs() > readSettings().idleMinutes * 60_000)
			return daemon.shutDown('no client needs it');
		const isMissing = !(await daemon.isListening());
		this.#missingChecks = isMissing ? this.#missingChecks + 1 : 0;
		// A folder that is being removed loses its files one by one, and must not get new ones.
		const isNeeded = daemon.getIdleMs() === 0;
		if (isMissing && this.#missingChecks < (isNeeded ? 2 : checksBeforeEnd)) return;
		// The next client starts a daemon of its own.
		if (isMissing && !isNeeded) return daemon.shutDown('the socket was removed');
		if (!(await daemon.lock.check())) return daemon.abandon('another process has taken the state folder');
		if (isMissing && !this.#isOver) {
			log.warn('the socket was removed; creating it again');
			await daemon.listen();
		}
	}
}

async function limitMemory(options: DaemonOptions): Promise<void> {
	const sessions = options.countOpenSessions();
	if (sessions === 0 || process.memoryUsage.rss() <= options.readSettings().memoryMb * 1024 * 1024) return;
	await options.closeIdleSessions(Math.ceil(sessions * closedSessionShare));
}
