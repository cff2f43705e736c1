/** Stores the views of sessions that plugins hold, one file for each session, in the state folder. */

import { createHash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../core/failure.ts';
import { isFields, tryParseJson } from '../core/shape.ts';
import { createTaskQueues } from '../core/taskQueues.ts';
import type { HeldViewHead, HeldViews, HeldViewText } from '../session/ports.ts';
import {
	accessDisk,
	createPrivateFolder,
	openFileOnDisk,
	syncFolder,
	writeFileAtomically,
} from './disk/durableFile.ts';
import { listNewestFiles } from './disk/listNewestFiles.ts';

/** Returns the folder with the views in a state folder. */
export function getViewsFolder(directory: string): string {
	return join(directory, 'views');
}

/** Maximum views that are considered when a fork looks for the view of its parent. */
const maxHeads = 200;
/** Maximum bytes of a file's first line, which has a path of up to 4 KiB and 64 fingerprints (`marks`). */
const maxHeadBytes = 8192;

/** Number of hexadecimal digits in a file name, from the SHA-256 of the session's id. */
const nameDigits = 32;

/** Returns the path of the file with a session's view. */
export function getViewPath(directory: string, sessionId: string): string {
	const name = createHash('sha256').update(sessionId).digest('hex').slice(0, nameDigits);
	return join(getViewsFolder(directory), `${name}.json`);
}

/** Creates the store of views in a state folder (files 0600, folder 0700). Files are replaced atomically. */
export function createHeldViews(directory: () => string): HeldViews {
	/** Runs the writes of one session one at a time. */
	const runInTurn = createTaskQueues();

	return {
		read: (sessionId) => runInTurn(sessionId, () => readView(getViewPath(directory(), sessionId))),
		readNewestHeads: () => readHeads(getViewsFolder(directory())),
		write: (about, view) =>
			runInTurn(about.sessionId, async () => {
				const folder = getViewsFolder(directory());
				const path = getViewPath(directory(), about.sessionId);
				await createPrivateFolder(folder);
				const checksum = sha256(view);
				const head = { version: 1, ...about, bytes: Buffer.byteLength(view), checksum };
				await writeFileAtomically(openFileOnDisk, path, Buffer.from(`${JSON.stringify(head)}\n${view}\n`));
				await syncFolder(folder);
				return { path, checksum };
			}),
		remove: (sessionId) =>
			runInTurn(sessionId, async () => {
				const path = getViewPath(directory(), sessionId);
				await accessDisk('remove', path, () => rm(path, { force: true }));
			}),
	};
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

async function readView(path: string): Promise<HeldViewText | undefined> {
	const text = await accessDisk('read', path, () => ifExists(readFile(path, 'utf8')));
	const [head = '', view = ''] = text?.split('\n', 2) ?? [];
	const parsed = parseHead(head);
	const checksum = sha256(view);
	return parsed?.checksum === checksum ? { view, checksum, head: parsed } : undefined;
}

/** Parses the first line of a view's file; undefined if it is damaged or of another version. */
function parseHead(line: string): (HeldViewHead & { checksum: string }) | undefined {
	const head: unknown = tryParseJson(line)?.value;
	if (!isFields(head) || head.version !== 1 || !isFields(head.journal)) return undefined;
	return head as unknown as HeldViewHead & { checksum: string };
}

/** Reads the first lines of the newest views. Costs a `stat` per file, and a short read for each of the newest. */
async function readHeads(folder: string): Promise<HeldViewHead[]> {
	const files = await accessDisk('read', folder, () => listNewestFiles(folder));
	const newest = files.slice(0, maxHeads);
	const heads = await Promise.all(
		newest.map(({ path }) => accessDisk('read', path, () => readFirstLine(path))),
	);
	return heads.flatMap((line) => parseHead(line) ?? []);
}

/** Reads the first line of a file; empty if the file was removed. */
async function readFirstLine(path: string): Promise<string> {
	const file = await ifExists(open(path));
	if (file === undefined) return '';
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0);
		return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '';
	} finally {
		await file.close();
	}
}
