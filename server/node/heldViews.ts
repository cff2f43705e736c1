/** The views that plugins show of sessions, each in a file of its own in the state folder. */

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../core/failure.ts';
import { isFields, parsedJson } from '../core/shape.ts';
import { createTurns } from '../core/turns.ts';
import type { HeldViews, HeldViewText } from '../session/ports.ts';
import { onStorage } from './journal/failure.ts';
import { openFileOnDisk, placeFile, syncFolder } from './journal/folder.ts';

/** The folder of the views of a state folder. */
export function viewsFolder(directory: string): string {
	return join(directory, 'views');
}

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
		write: (sessionId, journal, view) =>
			inTurn(sessionId, async () => {
				const folder = viewsFolder(directory());
				const path = viewPath(directory(), sessionId);
				await makeFolder(folder);
				const checksum = sha256(view);
				const head = { version: 1, sessionId, journal, bytes: Buffer.byteLength(view), checksum };
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
	const said: unknown = parsedJson(head)?.value;
	const checksum = sha256(view);
	return isFields(said) && said.checksum === checksum ? { view, checksum } : undefined;
}

/** The text of a file; empty where there is none. */
async function textOf(path: string): Promise<string> {
	return (await onStorage('read', path, () => ifThere(readFile(path, 'utf8')))) ?? '';
}

async function makeFolder(folder: string): Promise<void> {
	await onStorage('prepare the folder', folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
}
