/** The views that plugins show of sessions, each in a file of its own in the state folder. */

import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../core/failure.ts';
import { isFields, parsedJson } from '../core/shape.ts';
import { createTurns } from '../core/turns.ts';
import type { HeldViewHead, HeldViews, HeldViewText } from '../session/ports.ts';
import { onStorage, openFileOnDisk, placeFile, syncFolder } from './disk/durableFile.ts';

/** The folder of the views of a state folder. */
export function viewsFolder(directory: string): string {
	return join(directory, 'views');
}

/** Views that a search for an inheritable one looks at. */
const maxHeads = 200;
/** Bytes of a file in which its first line ends: a path of 4 KiB and 64 marks take less. */
const maxHeadBytes = 8192;

/** Hexadecimal digits of the SHA-256 of a session's id that name its file. */
const nameLength = 32;

/** Where the view of a session lies. */
export function viewPath(directory: string, sessionId: string): string {
	const name = createHash('sha256').update(sessionId).digest('hex').slice(0, nameLength);
	return join(viewsFolder(directory), `${name}.json`);
}

/** The views of a state folder: 0600, in a folder of 0700, and each whole or as it was before. */
export function createHeldViews(directory: () => string): HeldViews {
	/** Writes of one session come one after the other. */
	const inTurn = createTurns();

	return {
		read: (sessionId) => inTurn(sessionId, () => readView(viewPath(directory(), sessionId))),
		newestHeads: () => readHeads(viewsFolder(directory())),
		write: (about, view) =>
			inTurn(about.sessionId, async () => {
				const folder = viewsFolder(directory());
				const path = viewPath(directory(), about.sessionId);
				await makeFolder(folder);
				const checksum = sha256(view);
				const head = { version: 1, ...about, bytes: Buffer.byteLength(view), checksum };
				await placeFile(openFileOnDisk, path, Buffer.from(`${JSON.stringify(head)}\n${view}\n`));
				await syncFolder(folder);
				return { path, checksum };
			}),
		remove: (sessionId) =>
			inTurn(sessionId, async () => {
				const path = viewPath(directory(), sessionId);
				await onStorage('remove', path, () => rm(path, { force: true }));
			}),
	};
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

async function readView(path: string): Promise<HeldViewText | undefined> {
	const [head = '', view = ''] = (await textOf(path)).split('\n', 2);
	const said = parsedHead(head);
	const checksum = sha256(view);
	return said?.checksum === checksum ? { view, checksum, head: said } : undefined;
}

/** Reads a first line; undefined if it is damaged or of another version. */
function parsedHead(line: string): (HeldViewHead & { checksum: string }) | undefined {
	const said: unknown = parsedJson(line)?.value;
	if (!isFields(said) || said.version !== 1 || !isFields(said.journal)) return undefined;
	return said as unknown as HeldViewHead & { checksum: string };
}

/** Costs a look at each file of the folder, and one short read for each of the newest. */
async function readHeads(folder: string): Promise<HeldViewHead[]> {
	const names = (await onStorage('read', folder, () => ifThere(readdir(folder)))) ?? [];
	const files = await Promise.all(
		names.map(async (name) => {
			const path = join(folder, name);
			return { path, modifiedAt: (await onStorage('read', path, () => ifThere(stat(path))))?.mtimeMs ?? 0 };
		}),
	);
	const newest = files.sort((a, b) => b.modifiedAt - a.modifiedAt).slice(0, maxHeads);
	const heads = await Promise.all(newest.map(({ path }) => onStorage('read', path, () => firstLine(path))));
	return heads.flatMap((line) => parsedHead(line) ?? []);
}

/** The first line of a file; empty if the file was removed. */
async function firstLine(path: string): Promise<string> {
	const file = await ifThere(open(path));
	if (file === undefined) return '';
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0);
		return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '';
	} finally {
		await file.close();
	}
}

/** The text of a file; empty where there is none. */
async function textOf(path: string): Promise<string> {
	return (await onStorage('read', path, () => ifThere(readFile(path, 'utf8')))) ?? '';
}

async function makeFolder(folder: string): Promise<void> {
	await onStorage('prepare the folder', folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
}
