/** Replaces the file of a journal. */

import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { accessDisk, type OpenFile, syncFolder, writeDraft } from '../disk/durableFile.ts';
import { type JournalFile, readRange } from './bodies.ts';
import { pathExists, prepareFolder } from './folder.ts';

const chunkBytes = 1024 * 1024;

/**
 * Durably replaces a journal's file. The new file contains `head`, the old file's bytes from the end of `head` up to `to`, and
 * `tail`.
 *
 * Sets `file.handle` to the new file. Returns the new path of the replaced file; undefined if there was none.
 *
 * @throws Failure `StorageFailed` if the new file cannot be written; the old file then stays in place
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
		for (let offset = head.length; offset < to; offset += chunkBytes)
			await target.writeFile(await readRange(file, offset, Math.min(chunkBytes, to - offset)));
		for (const bytes of tail) await target.writeFile(bytes);
	});
	return accessDisk('rewrite', path, async () => {
		const copy = await renameDamaged(path);
		await rename(draft, path);
		const oldHandle = file.handle;
		file.handle = handle;
		await oldHandle.close();
		await syncFolder(dirname(path));
		return copy;
	});
}

/** Renames the file at a journal's path; returns its new path, or undefined if there was no file. */
async function renameDamaged(path: string): Promise<string | undefined> {
	if (!(await pathExists(path))) return undefined;
	let number = 1;
	while (await pathExists(`${path}.damaged-${number}`)) number++;
	const copy = `${path}.damaged-${number}`;
	await rename(path, copy);
	return copy;
}
