/**
 * Reads and writes mark files: a channel marks each session that it has answered.
 *
 * A mark shows that the session's plugin is active. While a plugin is active, the hooks that Claude Code starts next to
 * it (`server/hooks/`) do nothing.
 */

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { channelFolderName, formatMark, markSuffix, nameMarkFile, parseMark } from '../core/channel/marks.ts';
import { errorCode, ifExists, missingFileCodes } from '../core/failure.ts';
import type { ContextStats } from '../protocol/stats.ts';

/** Returns the path of a session's mark; undefined if no agent's plugin uses such a session id. */
function getMarkPath(channelFolder: string, session: string): string | undefined {
	const name = nameMarkFile(session);
	return name && join(channelFolder, name);
}

/** Returns the folder of a state folder that contains the secrets and marks of channels. */
export function getChannelFolder(stateFolder: string): string {
	return join(stateFolder, channelFolderName);
}

/** Returns the path of the socket in a mark file; undefined if the file is missing or invalid. */
async function readSocket(mark: string): Promise<string | undefined> {
	const { socket } = parseMark((await ifExists(readFile(mark, 'utf8'), missingFileCodes)) ?? '');
	return socket !== undefined && isAbsolute(socket) ? socket : undefined;
}

/** Whether a session has a mark, and the daemon that wrote the mark is still running. */
export async function isAnsweringDaemonAlive(stateFolder: string, session: string): Promise<boolean> {
	const mark = getMarkPath(getChannelFolder(stateFolder), session);
	const socket = mark && (await readSocket(mark));
	return socket !== undefined && isSocketAlive(socket);
}

export class AnswerMarks {
	readonly #folder: string;
	readonly #socket: string;
	readonly #markedPaths = new Set<string>();
	readonly #newestStats = new Map<string, ContextStats>();
	#lastWrite: Promise<void> = Promise.resolve();

	/** @param folder the folder of secrets and marks */
	constructor(folder: string, socket: string) {
		this.#folder = folder;
		this.#socket = socket;
	}

	/** Writes the mark of a session once; later calls for the same session do nothing. */
	async mark(session: string): Promise<void> {
		const path = getMarkPath(this.#folder, session);
		if (path === undefined || this.#markedPaths.has(path)) return;
		this.#markedPaths.add(path);
		await this.#write(path);
	}

	/** Writes a session's newest stats into its mark. Without a mark yet, only remembers them for `mark`. */
	async storeStats(session: string, stats: ContextStats): Promise<void> {
		const path = getMarkPath(this.#folder, session);
		if (path === undefined) return;
		this.#newestStats.set(path, stats);
		if (this.#markedPaths.has(path)) await this.#write(path);
	}

	/** Removes the channel's marks, but not a mark that a later daemon of the same session wrote. */
	async clear(): Promise<void> {
		const paths = [...this.#markedPaths];
		this.#markedPaths.clear();
		await this.#lastWrite;
		for (const path of paths) if ((await readSocket(path)) === this.#socket) await rm(path, { force: true });
	}

	/** Writes a mark once the earlier writes are done. Atomic: readers see the old or the new mark. */
	#write(path: string): Promise<void> {
		const task = this.#lastWrite.then(async () => {
			if (!this.#markedPaths.has(path)) return;
			const draft = `${path}.${process.pid}`;
			const text = formatMark(this.#socket, process.pid, this.#newestStats.get(path));
			await writeFile(draft, text, { mode: 0o600 });
			await rename(draft, path);
		});
		this.#lastWrite = task.catch(() => undefined);
		return task;
	}
}

/** Removes the marks of daemons that were killed. */
export async function removeDeadMarks(channelFolder: string): Promise<void> {
	for (const name of await readdir(channelFolder)) {
		if (!name.endsWith(markSuffix)) continue;
		const mark = join(channelFolder, name);
		const socket = await readSocket(mark);
		if (socket === undefined || !(await isSocketAlive(socket))) await rm(mark, { force: true });
	}
}

/** Milliseconds that a process has to answer at a socket. */
const answerTimeoutMs = 1_000;

/** Whether a process listens at a socket. */
export function isSocketAlive(socket: string): Promise<boolean> {
	return new Promise((resolve) => {
		const connection = createConnection(socket);
		const finish = (isAlive: boolean): void => {
			connection.destroy();
			resolve(isAlive);
		};
		connection.setTimeout(answerTimeoutMs, () => finish(true));
		connection.on('connect', () => finish(true));
		connection.on('error', (error) => finish(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error))));
	});
}
