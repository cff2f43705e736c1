/** Puts our part into a text file of the user, and takes it out again. */

import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { systemErrorReason, workFailed } from '../console/failure.ts';
import { firstMissingFolder, removeEmptyFolders } from '../install/parts/createdFolders.ts';
import { runOneAtATime } from '../install/parts/oneAtATime.ts';
import { checksum } from '../install/parts/record.ts';
import {
	linkTargetOf,
	readBytesIfExists,
	replaceFile,
	requireWritable,
} from '../install/parts/replaceFile.ts';
import { editOf, type FileEdit, linesEdit } from './fileEdit.ts';
import type { EditedFile, SetupManifest } from './manifest.ts';
import { needsLineEnd } from './markedLines.ts';

/** Converts bytes of any encoding to text and back without loss; our parts are ASCII. */
const encoding = 'latin1';

/** Returns a file's text; empty if there is no file. Throws with exit code 1 if it must not be edited. */
export async function editableText(path: string, edit: FileEdit): Promise<string> {
	const text = (await regularFile(path))?.toString(encoding) ?? '';
	await requireWritable(path);
	const problem = edit.problemIn(text);
	if (problem === undefined) return text;
	throw workFailed(`${path} ${problem}`);
}

/** The bytes of a file; undefined if there is none, or a folder or a device. Throws with exit code 1 if unreadable. */
async function regularFile(path: string): Promise<Buffer | undefined> {
	try {
		return (await ifExists(stat(path)))?.isFile() ? await readBytesIfExists(path) : undefined;
	} catch (error) {
		throw workFailed(`${path} cannot be read: ${systemErrorReason(error)}; it was left unchanged`);
	}
}

/** Our part as found in a file. */
export interface FoundEdit {
	/** Why the file cannot be edited; absent if it can. */
	problem?: string;
	isThere: boolean;
}

/** Looks for our part in a file; throws with exit code 1 if the file cannot be read. */
export async function findEdit(path: string, edit: FileEdit): Promise<FoundEdit> {
	const text = (await regularFile(path))?.toString(encoding) ?? '';
	const problem = edit.problemIn(text);
	return problem === undefined ? { isThere: edit.isIn(text) } : { problem, isThere: true };
}

/** A file before and after an edit. */
export interface EditChange {
	path: string;
	/** Undefined if there is no file. */
	found: Buffer | undefined;
	after: string;
}

/** How a file with our part is recorded. */
export function recordEdit(
	{ path, found, after }: EditChange,
	known: EditedFile | undefined,
	edit: FileEdit = linesEdit(),
): EditedFile {
	const left = checksum(Buffer.from(after, encoding));
	if (known !== undefined && found !== undefined && checksum(found) === known.left) return { ...known, left };
	const text = found?.toString(encoding) ?? '';
	const isThere = edit.isIn(text);
	const saved = isThere ? edit.removeFrom(text, known) : text;
	const isOurs = found === undefined || (edit.isEmpty(saved) && known?.saved === null);
	return {
		path,
		saved: isOurs ? null : Buffer.from(saved, encoding).toString('base64'),
		left,
		lineEndAdded: isThere ? (known?.lineEndAdded ?? false) : needsLineEnd(text),
		...(known?.made !== undefined && { made: known.made }),
		...(edit.entry !== undefined && { entry: edit.entry }),
	};
}

/** Writes our part into a file, in place of an earlier one. Links stay, and their target is edited. */
export function applyEdit(
	path: string,
	edit: FileEdit,
	stateFolder: string,
	manifest: SetupManifest,
): Promise<void> {
	return runOneAtATime(stateFolder, async () => {
		await manifest.reload();
		const text = await editableText(path, edit);
		const found = await readBytesIfExists(path);
		const after = edit.addTo(text);
		const made = await firstMissingFolder(dirname(await linkTargetOf(path)));
		const record = recordEdit({ path, found, after }, manifest.fileAt(path), edit);
		await manifest.addFile({ ...record, ...(made !== undefined && { made }) });
		if (made !== undefined) await mkdir(dirname(await linkTargetOf(path)), { recursive: true });
		await replaceFile(path, Buffer.from(after, encoding), 0o644);
	});
}

/** What undoing an edit does with a file: new bytes, its removal, or nothing. */
export type FileUndo =
	| { kind: 'restored' | 'cleaned'; bytes: Buffer }
	| { kind: 'removed' }
	| { kind: 'unchanged' };

/**
 * Returns how to undo our edit of a file.
 *
 * A file that nobody has changed since is restored byte for byte. Otherwise only our part is removed.
 * @param found its bytes now; undefined if there is no file
 */
export function undoEdit(record: EditedFile | undefined, found: Buffer | undefined): FileUndo {
	if (found === undefined) return { kind: 'unchanged' };
	if (record !== undefined && checksum(found) === record.left) {
		return record.saved === null
			? { kind: 'removed' }
			: { kind: 'restored', bytes: Buffer.from(record.saved, 'base64') };
	}
	const edit = editOf(record ?? {});
	const text = found.toString(encoding);
	const kept = edit.removeFrom(text, record);
	if (kept === text) return { kind: 'unchanged' };
	if (edit.isEmpty(kept) && record?.saved === null) return { kind: 'removed' };
	return { kind: 'cleaned', bytes: Buffer.from(kept, encoding) };
}

/** Undoes our edit of a file. Returns a line about it; undefined if there was nothing to undo. */
export async function revertEdit(
	path: string,
	stateFolder: string,
	manifest: SetupManifest,
): Promise<string | undefined> {
	// A file that is neither recorded nor readable has no part of ours.
	const isOurs =
		manifest.fileAt(path) !== undefined ||
		(await findEdit(path, linesEdit()).catch(() => ({ isThere: false }))).isThere;
	if (!isOurs) return undefined;
	return runOneAtATime(stateFolder, async () => {
		await manifest.reload();
		const record = manifest.fileAt(path);
		const undo = undoEdit(record, await regularFile(path));
		const edit = editOf(record ?? {});
		if ((await findEdit(path, edit)).isThere) await editableText(path, edit);
		if (undo.kind !== 'unchanged') {
			if (undo.kind === 'removed') await rm(await linkTargetOf(path), { force: true });
			else await replaceFile(path, undo.bytes, 0o644);
			if (record?.made !== undefined)
				await removeEmptyFolders(dirname(await linkTargetOf(path)), record.made);
		}
		if (record !== undefined) await manifest.dropFile(path);
		return lineOf(undo.kind, path);
	});
}

function lineOf(kind: FileUndo['kind'], path: string): string | undefined {
	switch (kind) {
		case 'restored':
			return `Restored ${path}`;
		case 'removed':
			return `Removed ${path}, which setup had created`;
		case 'cleaned':
			return `${path} was changed since, so only what contextd added was removed`;
		case 'unchanged':
			return undefined;
	}
}
