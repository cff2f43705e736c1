/**
 * The marks of the sessions that a channel has answered. What Claude Code starts beside its plugin (`server/hooks/`)
 * sees by them that the plugin is at work, and does nothing.
 */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { channelFolderName, markName, markSuffix } from '../core/channel/marks.ts';
import { ifThere, missing } from '../core/failure.ts';
import { isAlive } from './alive.ts';

/**
 * The file of a session's mark, with the path of the socket and the id of the daemon's process, a line each; undefined
 * for an id that is no agent's.
 */
function markOf(keys: string, session: string): string | undefined {
	const name = markName(session);
	return name && join(keys, name);
}

/** The folder of secrets and marks in a state folder. */
export function channelFolder(stateFolder: string): string {
	return join(stateFolder, channelFolderName);
}

/** The socket that a mark names; undefined where there is no mark, or one that makes no sense. */
async function socketIn(mark: string): Promise<string | undefined> {
	const [socket = ''] = (await ifThere(readFile(mark, 'utf8'), missing))?.split('\n') ?? [];
	return isAbsolute(socket) ? socket : undefined;
}

/** Whether the daemon of a plugin that has answered a session is still there. */
export async function isAnswered(stateFolder: string, session: string): Promise<boolean> {
	const mark = markOf(channelFolder(stateFolder), session);
	const socket = mark && (await socketIn(mark));
	return socket !== undefined && isAlive(socket);
}

/** The marks of one channel. */
export interface AnswerMarks {
	/** Marks a session, once. */
	mark(session: string): Promise<void>;
	/** Takes its marks away again. */
	clear(): Promise<void>;
}

/** @param keys the folder of secrets and marks */
export function createAnswerMarks(keys: string, socket: string): AnswerMarks {
	const marked = new Set<string>();
	return {
		async mark(session) {
			const mark = markOf(keys, session);
			if (mark === undefined || marked.has(mark)) return;
			marked.add(mark);
			await rm(mark, { force: true });
			await writeFile(mark, `${socket}\n${process.pid}\n`, { mode: 0o600 });
		},
		async clear() {
			// One that a later daemon of the same session wrote stays.
			for (const mark of marked) if ((await socketIn(mark)) === socket) await rm(mark, { force: true });
		},
	};
}

/** Removes the marks of daemons that were killed. */
export async function clearDeadMarks(keys: string): Promise<void> {
	for (const name of await readdir(keys)) {
		if (!name.endsWith(markSuffix)) continue;
		const mark = join(keys, name);
		const socket = await socketIn(mark);
		if (socket === undefined || !(await isAlive(socket))) await rm(mark, { force: true });
	}
}
