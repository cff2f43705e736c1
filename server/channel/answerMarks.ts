/**
 * Reads and writes mark files: a channel marks each session that it has answered.
 *
 * A mark shows that the plugin is active. The hooks that Claude Code starts next to its plugin (`server/hooks/`) then
 * do nothing.
 */

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { isAbsolute, join } from 'node:path';
import {
	channelFolderName,
	createMarkFileName,
	formatMark,
	markSuffix,
	parseMark,
} from '../core/channel/marks.ts';
import { errorCode, ifExists, missingFileCodes } from '../core/failure.ts';
import type { ContextStats } from '../protocol/stats.ts';

/** The file of a session's mark; undefined for an id that is not an agent's. */
function getMarkPath(keys: string, session: string): string | undefined {
	const name = createMarkFileName(session);
	return name && join(keys, name);
}

/** The folder with secrets and marks in a state folder. */
export function getChannelFolder(stateFolder: string): string {
	return join(stateFolder, channelFolderName);
}

/** The socket in a mark; undefined if there is no mark or it is invalid. */
async function readSocket(mark: string): Promise<string | undefined> {
	const { socket } = parseMark((await ifExists(readFile(mark, 'utf8'), missingFileCodes)) ?? '');
	return socket !== undefined && isAbsolute(socket) ? socket : undefined;
}

/** Whether the plugin's daemon that has answered a session is still running. */
export async function isAnsweringDaemonAlive(stateFolder: string, session: string): Promise<boolean> {
	const mark = getMarkPath(getChannelFolder(stateFolder), session);
	const socket = mark && (await readSocket(mark));
	return socket !== undefined && isSocketAlive(socket);
}

/** The marks of one channel. */
export interface AnswerMarks {
	/** Marks a session; later calls do nothing. */
	mark(session: string): Promise<void>;
	/** Writes the newest figures into a session's mark, or waits until the mark exists. */
	storeFigures(session: string, stats: ContextStats): Promise<void>;
	/** Removes its marks. */
	clear(): Promise<void>;
}

/** @param keys the folder of secrets and marks */
export function createAnswerMarks(keys: string, socket: string): AnswerMarks {
	const marked = new Set<string>();
	const newest = new Map<string, ContextStats>();
	let writing: Promise<void> = Promise.resolve();

	/** Writes a mark atomically: a reader sees the old or the new one. */
	async function write(mark: string): Promise<void> {
		const draft = `${mark}.${process.pid}`;
		await writeFile(draft, formatMark(socket, process.pid, newest.get(mark)), { mode: 0o600 });
		await rename(draft, mark);
	}

	return {
		async mark(session) {
			const mark = getMarkPath(keys, session);
			if (mark === undefined || marked.has(mark)) return;
			marked.add(mark);
			await write(mark);
		},
		storeFigures(session, stats) {
			const mark = getMarkPath(keys, session);
			if (mark === undefined) return writing;
			newest.set(mark, stats);
			const written = writing.then(() => (marked.has(mark) ? write(mark) : undefined));
			writing = written.catch(() => undefined);
			return written;
		},
		async clear() {
			// A mark that a later daemon of the same session wrote is kept.
			const all = [...marked];
			marked.clear();
			await writing;
			for (const mark of all) if ((await readSocket(mark)) === socket) await rm(mark, { force: true });
		},
	};
}

/** Removes the marks of daemons that were killed. */
export async function removeDeadMarks(keys: string): Promise<void> {
	for (const name of await readdir(keys)) {
		if (!name.endsWith(markSuffix)) continue;
		const mark = join(keys, name);
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
		const end = (alive: boolean): void => {
			connection.destroy();
			resolve(alive);
		};
		connection.setTimeout(answerTimeoutMs, () => end(true));
		connection.on('connect', () => end(true));
		connection.on('error', (error) => end(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error))));
	});
}
