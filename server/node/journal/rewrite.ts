/** Writes a journal to a new file. */

import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type OpenFile, runStorageOperation, syncFolder, writeDraft } from '../disk/durableFile.ts';
import { type JournalFile, readRange } from './bodies.ts';
import { pathExists, prepareFolder } from './folder.ts';

const chunkBytes = 1024 * 1024;

/**
 * Durably replaces a journal's file: with `head`, then the old file's bytes from there up to `to`, then `tail`.
 *
 * `file.handle` becomes that of the new file. Returns the new path of the file that was replaced; undefined if none was there.
 *
 * @throws Failure `StorageFailed` if it cannot be written; the path is unchanged then
 */
export async function rewriteJournal(
	file: JournalFile,
	openFile: OpenFile,
	{ head, to, tail = [] }: { head: Buffer; to: number; tail?: readonly Buffer[] },
): Promise<string | undefined> {
	const { path } = file;
	await prepareFolder(dirname(dirname(path)));
	const { draft, handle } = await writeDraft(openFile, path, async (target) => {
		await target.writeFile(head);
		for (let offset = head.length; offset < to; offset += chunkBytes) {
			await target.writeFile(await readRange(file, offset, Math.min(chunkBytes, to - offset)));
		}
		for (const bytes of tail) await target.writeFile(bytes);
	});
	return runStorageOperation('rewrite', path, async () => {
		const copy = await moveAside(path);
		await rename(draft, path);
		const old = file.handle;
		file.handle = handle;
		await old.close();
		await syncFolder(dirname(path));
		return copy;
	});
}

/** Renames whatever is at a journal's path; returns its new path, or undefined if nothing was there. */
async function moveAside(path: string): Promise<string | undefined> {
	if (!(await pathExists(path))) return undefined;
	let number = 1;
	while (await pathExists(`${path}.damaged-${number}`)) number++;
	const copy = `${path}.damaged-${number}`;
	await rename(path, copy);
	return copy;
}
