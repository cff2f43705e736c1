/** Writes a journal to a new file. */

import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type OpenFile, onStorage, syncFolder, writeDraft } from '../disk/durableFile.ts';
import { type JournalFile, readRange } from './bodies.ts';
import { exists, prepareFolder } from './folder.ts';

const chunkBytes = 1024 * 1024;

/**
 * Puts a new file in a journal's place, durably: `head`, the old file's bytes behind that up to `to`, and `tail`.
 * `file.handle` becomes that of the new file. Returns the path under which the file that had the name is kept;
 * undefined if none had it.
 *
 * @throws Failure `StorageFailed` if it cannot be written; then the name leads to what it led to before.
 */
export async function rewriteJournal(
	file: JournalFile,
	openFile: OpenFile,
	head: Buffer,
	to: number,
	tail: readonly Buffer[],
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
	return onStorage('rewrite', path, async () => {
		const copy = await moveAside(path);
		await rename(draft, path);
		const old = file.handle;
		file.handle = handle;
		await old.close();
		await syncFolder(dirname(path));
		return copy;
	});
}

/** Renames whatever has a journal's name; returns its new path, undefined if nothing had the name. */
async function moveAside(path: string): Promise<string | undefined> {
	if (!(await exists(path))) return undefined;
	let number = 1;
	while (await exists(`${path}.damaged-${number}`)) number++;
	const copy = `${path}.damaged-${number}`;
	await rename(path, copy);
	return copy;
}
