/** Checks once a second whether the daemon is still needed and reachable. */

import { stat } from 'node:fs/promises';
import { errorText, ifThere } from '../core/failure.ts';
import type { FolderLock } from '../node/folderLock.ts';
import type { ClientConnection } from './clientConnection.ts';
import type { DaemonOptions } from './serveDaemon.ts';

/** The parts of a daemon that the watch uses. */
export interface WatchedDaemon {
	lock: FolderLock;
	clients: ReadonlySet<ClientConnection>;
	/** Milliseconds without a client; 0 while there is one. */
	idleMs(): number;
	isListening(): Promise<boolean>;
	listen(): Promise<void>;
	/** Ends the daemon in an orderly way. */
	leave(reason: string): void;
	/** Ends the daemon at once. */
	abandon(reason: string): void;
}

const defaultWatchMs = 1_000;
/** Share of the open sessions that are closed at a time while too much memory is used. */
const closedShare = 1 / 8;

/** Watches a daemon until the returned function is called. */
export function watchDaemon(options: DaemonOptions, daemon: WatchedDaemon): () => void {
	const { stateFolder, settings, log, watchMs = defaultWatchMs } = options;
	let lastProblem = '';
	let isOver = false;
	/** Whether the socket was missing at the last check: a folder that is being removed loses its files one by one. */
	let wasMissing = false;

	async function look(): Promise<void> {
		for (const client of daemon.clients) {
			if (client.dropIfStuck()) log.warn('a client that reads nothing was disconnected');
		}
		await limitMemory(options);
		if ((await ifThere(stat(stateFolder))) === undefined) {
			// A client may still write, which creates the folder again.
			if (daemon.clients.size === 0) daemon.leave('the state folder is gone');
			return;
		}
		if (daemon.idleMs() > settings().idleMinutes * 60_000) return daemon.leave('no client needs it');
		const isMissing = !(await daemon.isListening());
		if (isMissing && !wasMissing) {
			wasMissing = true;
			return;
		}
		wasMissing = false;
		if (!(await daemon.lock.check())) return daemon.abandon('another process has taken the state folder');
		if (isMissing && !isOver) {
			log.warn('the socket was removed; creating it again');
			await daemon.listen();
		}
	}

	async function watch(): Promise<void> {
		try {
			await look();
			lastProblem = '';
		} catch (error) {
			const problem = errorText(error);
			if (problem !== lastProblem) log.error(problem);
			lastProblem = problem;
		}
		if (!isOver) timer = setTimeout(watch, watchMs);
	}

	let timer = setTimeout(watch, watchMs);
	return () => {
		isOver = true;
		clearTimeout(timer);
	};
}

async function limitMemory({ settings, openSessions, closeIdle }: DaemonOptions): Promise<void> {
	const sessions = openSessions();
	if (sessions === 0 || process.memoryUsage.rss() <= settings().memoryMb * 1024 * 1024) return;
	await closeIdle(Math.ceil(sessions * closedShare));
}
