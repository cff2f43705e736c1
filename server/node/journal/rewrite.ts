/** Writes a journal to a new file. */

import type { FileHandle } from 'node:fs/promises';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JournalFile } from './bodies.ts';
import { storageFailure } from './failure.ts';
import { exists, type OpenFile, openDraft, prepareSessions, syncFolder } from './folder.ts';

const chunkBytes = 1024 * 1024;

/** What a new file consists of: `head`, the old file's bytes from there up to `to`, and `tail`. */
interface NewContent {
	head: Buffer;
	/** Bytes from the start of the old file; it copies nothing if this lies within `head`. */
	to: number;
	tail: readonly Buffer[];
}

/**
 * Puts a new file in a journal's place, durably. `file.handle` becomes that of the new one. Returns the path under which
 * the file that had the name is kept; undefined if none had it.
 *
 * @throws Failure `StorageFailed` if it cannot be written; then the name leads to what it led to before.
 */
export async function rewriteJournal(
	file: JournalFile,
	openFile: OpenFile,
	{ head, to, tail }: NewContent,
): Promise<string | undefined> {
	const { path } = file;
	await prepareSessions(dirname(path));
	const draft = `${path}.new`;
	const handle = await openDraft(openFile, draft);
	try {
		await handle.writeFile(head);
		await copyRange(file.handle, handle, head.length, to);
		for (const bytes of tail) await handle.writeFile(bytes);
		await handle.datasync();
		const copy = await moveAside(path);
		await rename(draft, path);
		await syncFolder(dirname(path));
		const old = file.handle;
		file.handle = handle;
		await old.close();
		return copy;
	} catch (error) {
		await handle.close();
		await rm(draft, { force: true });
		throw storageFailure('rewrite', path, error);
	}
}

/** Appends the bytes [from, to) of one file to another; fails if the first one ends before. */
async function copyRange(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
	const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(chunkBytes, to - from)));
	for (let offset = from; offset < to; ) {
		const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - offset), offset);
		if (bytesRead === 0) throw new Error(`it ends at byte ${offset}`);
		await target.writeFile(buffer.subarray(0, bytesRead));
		offset += bytesRead;
	}
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
