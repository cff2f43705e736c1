/** Applies edits to text files of the user, and reverts them. */

import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { createWorkFailure, describeSystemError } from '../console/failure.ts';
import {
	findMissingFolder,
	readBytesIfExists,
	removeEmptyFolders,
	replaceFile,
	requireWritable,
	resolveLinkTarget,
} from '../install/parts/files.ts';
import { runOneAtATime } from '../install/parts/oneAtATime.ts';
import { computeChecksum } from '../install/parts/record.ts';
import { createLinesEdit, createRecordedEdit, type FileEdit } from './fileEdit.ts';
import type { EditedFile, SetupManifest } from './manifest.ts';
import { needsLineEnd } from './markedLines.ts';

/** Converts any bytes to text and back without loss. Safe because everything that contextd adds to a file is ASCII. */
const losslessEncoding = 'latin1';

/** Returns a file's text; empty if there is no file. Throws with exit code 1 if the file must not be edited. */
export async function readEditableText(path: string, edit: FileEdit): Promise<string> {
	const text = (await readRegularFile(path))?.toString(losslessEncoding) ?? '';
	await requireWritable(path);
	const problem = edit.findProblem(text);
	if (problem === undefined) return text;
	throw createWorkFailure(`${path} ${problem}`);
}

/** Reads the bytes of a regular file; undefined if the path is no regular file. Throws with exit code 1 if unreadable. */
async function readRegularFile(path: string): Promise<Buffer | undefined> {
	try {
		return (await ifExists(stat(path)))?.isFile() ? await readBytesIfExists(path) : undefined;
	} catch (error) {
		throw createWorkFailure(`${path} cannot be read: ${describeSystemError(error)}; it was left unchanged`);
	}
}

/** Whether an edit is applied to a file. */
export interface EditState {
	/** Why the file cannot be edited; absent if it can. */
	problem?: string;
	isApplied: boolean;
}

/** Checks whether an edit is applied to a file; throws with exit code 1 if the file cannot be read. */
export async function checkEdit(path: string, edit: FileEdit): Promise<EditState> {
	const text = (await readRegularFile(path))?.toString(losslessEncoding) ?? '';
	const problem = edit.findProblem(text);
	return problem === undefined ? { isApplied: edit.isApplied(text) } : { problem, isApplied: true };
}

/** A file before and after an edit. */
export interface EditChange {
	path: string;
	/** Bytes before the edit; undefined if there was no file. */
	before: Buffer | undefined;
	after: string;
}

/** Returns the record from which an edit can be undone. */
export function createEditRecord(
	{ path, before, after }: EditChange,
	oldRecord: EditedFile | undefined,
	edit: FileEdit = createLinesEdit(),
): EditedFile {
	const left = computeChecksum(Buffer.from(after, losslessEncoding));
	if (oldRecord !== undefined && before !== undefined && computeChecksum(before) === oldRecord.left)
		return { ...oldRecord, left };
	const text = before?.toString(losslessEncoding) ?? '';
	const isApplied = edit.isApplied(text);
	const saved = isApplied ? edit.revert(text, oldRecord) : text;
	const isOurs = before === undefined || (edit.isEmptyText(saved) && oldRecord?.saved === null);
	return {
		path,
		saved: isOurs ? null : Buffer.from(saved, losslessEncoding).toString('base64'),
		left,
		lineEndAdded: isApplied ? (oldRecord?.lineEndAdded ?? false) : needsLineEnd(text),
		...(oldRecord?.made !== undefined && { made: oldRecord.made }),
		...(edit.entry !== undefined && { entry: edit.entry }),
	};
}

/** Applies an edit to a file, in place of an earlier one. If the path is a link, changes the link's target. */
export function applyEdit(
	path: string,
	edit: FileEdit,
	stateFolder: string,
	manifest: SetupManifest,
): Promise<void> {
	return runOneAtATime(stateFolder, async () => {
		await manifest.reload();
		const text = await readEditableText(path, edit);
		const before = await readBytesIfExists(path);
		const after = edit.apply(text);
		const missingFolder = await findMissingFolder(dirname(await resolveLinkTarget(path)));
		const record = createEditRecord({ path, before, after }, manifest.findFile(path), edit);
		await manifest.addFile({ ...record, ...(missingFolder !== undefined && { made: missingFolder }) });
		if (missingFolder !== undefined) await mkdir(dirname(await resolveLinkTarget(path)), { recursive: true });
		await replaceFile(path, Buffer.from(after, losslessEncoding), 0o644);
	});
}

/** What undoing an edit does to a file: new bytes, its removal, or nothing. */
export type FileUndo =
	| { kind: 'restored' | 'cleaned'; bytes: Buffer }
	| { kind: 'removed' }
	| { kind: 'unchanged' };

/**
 * Returns how to undo the edit of a file.
 *
 * A file that nobody has changed since is restored byte for byte. Otherwise only the edit is reverted.
 * @param bytes current bytes of the file; undefined if there is no file
 */
export function planUndo(record: EditedFile | undefined, bytes: Buffer | undefined): FileUndo {
	if (bytes === undefined) return { kind: 'unchanged' };
	if (record !== undefined && computeChecksum(bytes) === record.left) {
		return record.saved === null
			? { kind: 'removed' }
			: { kind: 'restored', bytes: Buffer.from(record.saved, 'base64') };
	}
	const edit = createRecordedEdit(record ?? {});
	const text = bytes.toString(losslessEncoding);
	const cleaned = edit.revert(text, record);
	if (cleaned === text) return { kind: 'unchanged' };
	if (edit.isEmptyText(cleaned) && record?.saved === null) return { kind: 'removed' };
	return { kind: 'cleaned', bytes: Buffer.from(cleaned, losslessEncoding) };
}

/** Undoes the edit of a file. Returns a line about it; undefined if there was nothing to undo. */
export async function revertEdit(
	path: string,
	stateFolder: string,
	manifest: SetupManifest,
): Promise<string | undefined> {
	// A file that is neither recorded nor readable counts as not edited.
	const isOurs =
		manifest.findFile(path) !== undefined ||
		(await checkEdit(path, createLinesEdit()).catch(() => ({ isApplied: false }))).isApplied;
	if (!isOurs) return undefined;
	return runOneAtATime(stateFolder, async () => {
		await manifest.reload();
		const record = manifest.findFile(path);
		const undo = planUndo(record, await readRegularFile(path));
		const edit = createRecordedEdit(record ?? {});
		if ((await checkEdit(path, edit)).isApplied) await readEditableText(path, edit);
		if (undo.kind !== 'unchanged') {
			if (undo.kind === 'removed') await rm(await resolveLinkTarget(path), { force: true });
			else await replaceFile(path, undo.bytes, 0o644);
			if (record?.made !== undefined)
				await removeEmptyFolders(dirname(await resolveLinkTarget(path)), record.made);
		}
		if (record !== undefined) await manifest.removeFile(path);
		return describeUndo(undo.kind, path);
	});
}

function describeUndo(kind: FileUndo['kind'], path: string): string | undefined {
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

/** Returns how a file to edit is shown: its path and, if it is a link, the target. */
export async function describeEditedPath(path: string): Promise<string> {
	// The check of the file reports a link that leads nowhere.
	const target = await resolveLinkTarget(path).catch(() => path);
	return target === path ? path : `${path} -> ${target}`;
}
