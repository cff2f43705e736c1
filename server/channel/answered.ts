/**
 * The marks of the sessions that a channel has answered. What Claude Code starts beside its plugin (`server/hooks/`)
 * sees by them that the plugin is at work, and does nothing.
 */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ifThere, missing } from '../core/failure.ts';
import { isAlive } from './alive.ts';

const suffix = '.answered';
/** UTF-16 units of a session's id in the name of its mark. */
const longestName = 200;

/** The file of a session's mark: it holds the path of the socket; undefined of an id that is none of an agent's. */
function markOf(keys: string, session: string): string | undefined {
	const name = session.replace(':', '-');
	const isName = name.length <= longestName && /^[a-z]+-[\w-]+$/i.test(name);
	return isName ? join(keys, `${name}${suffix}`) : undefined;
}

/** The folder of secrets and marks in a state folder. */
export function channelFolder(stateFolder: string): string {
	return join(stateFolder, 'channel');
}

/** The socket that a mark names; undefined where there is no mark, or one that makes no sense. */
async function socketIn(mark: string): Promise<string | undefined> {
	const socket = (await ifThere(readFile(mark, 'utf8'), missing))?.trim() ?? '';
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
			await writeFile(mark, `${socket}\n`, { mode: 0o600 });
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
		if (!name.endsWith(suffix)) continue;
		const mark = join(keys, name);
		const socket = await socketIn(mark);
		if (socket === undefined || !(await isAlive(socket))) await rm(mark, { force: true });
	}
}
