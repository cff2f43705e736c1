/** Puts our lines into a text file of the user, and takes them out again. */

import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifThere } from '../../core/failure.ts';
import { reasonOf, workFailed } from '../console/failure.ts';
import { firstMissing, removeEmpty } from '../install/parts/madeFolders.ts';
import { oneAtATime } from '../install/parts/oneAtATime.ts';
import { checksum } from '../install/parts/record.ts';
import { bytesAt, replaceFile, targetOf } from '../install/parts/replaceFile.ts';
import { requireWritable } from '../install/parts/writable.ts';
import type { EditedFile, SetupManifest } from './manifest.ts';
import {
	findMarkedLines,
	lacksLineEnd,
	markLines,
	withMarkedLines,
	withoutMarkedLines,
} from './markedLines.ts';

/** Bytes as text and back without loss, whatever their encoding; our lines are ASCII. */
const encoding = 'latin1';

/** Returns a file's text; empty if there is no file. Throws with exit code 1 if it must not be edited. */
export async function editableText(path: string): Promise<string> {
	const text = (await regularFile(path))?.toString(encoding) ?? '';
	await requireWritable(path);
	if (findMarkedLines(text) !== 'broken') return text;
	throw workFailed(
		`${path} has only one of the two marker comments of contextd: remove it with the lines that belong to it`,
	);
}

/** The bytes of a file; undefined if there is none, or a folder or a device. Throws with exit code 1 if unreadable. */
async function regularFile(path: string): Promise<Buffer | undefined> {
	try {
		return (await ifThere(stat(path)))?.isFile() ? await bytesAt(path) : undefined;
	} catch (error) {
		throw workFailed(`${path} cannot be read: ${reasonOf(error)}; it was left unchanged`);
	}
}

/** Where our lines are in a file; undefined if it has none. */
export async function markedLinesAt(path: string): Promise<ReturnType<typeof findMarkedLines>> {
	return findMarkedLines((await regularFile(path))?.toString(encoding) ?? '');
}

/** How a file with our lines is recorded. */
export function recordEdit(
	path: string,
	found: Buffer | undefined,
	known: EditedFile | undefined,
	after: string,
): EditedFile {
	const left = checksum(Buffer.from(after, encoding));
	if (known !== undefined && found !== undefined && checksum(found) === known.left) return { ...known, left };
	const text = found?.toString(encoding) ?? '';
	const hasLines = findMarkedLines(text) !== undefined;
	const saved = hasLines ? withoutMarkedLines(text, known?.lineEndAdded ?? false) : text;
	const isOurs = found === undefined || (saved === '' && known?.saved === null);
	return {
		path,
		saved: isOurs ? null : Buffer.from(saved, encoding).toString('base64'),
		left,
		lineEndAdded: hasLines ? (known?.lineEndAdded ?? false) : lacksLineEnd(text),
		...(known?.made !== undefined && { made: known.made }),
	};
}

/** Writes our lines into a file, in place of earlier ones. Links stay, and their target is edited. */
export function addLines(
	path: string,
	lines: readonly string[],
	stateFolder: string,
	manifest: SetupManifest,
): Promise<void> {
	return oneAtATime(stateFolder, async () => {
		await manifest.reload();
		const text = await editableText(path);
		const found = await bytesAt(path);
		const after = withMarkedLines(text, markLines(lines));
		const made = await firstMissing(dirname(await targetOf(path)));
		const record = recordEdit(path, found, manifest.fileAt(path), after);
		await manifest.addFile({ ...record, ...(made !== undefined && { made }) });
		if (made !== undefined) await mkdir(dirname(await targetOf(path)), { recursive: true });
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
 * A file that nobody has changed since is restored byte for byte. Otherwise only our lines are removed.
 * @param found its bytes now; undefined if there is no file
 */
export function undoEdit(record: EditedFile | undefined, found: Buffer | undefined): FileUndo {
	if (found === undefined) return { kind: 'unchanged' };
	if (record !== undefined && checksum(found) === record.left) {
		return record.saved === null
			? { kind: 'removed' }
			: { kind: 'restored', bytes: Buffer.from(record.saved, 'base64') };
	}
	const text = found.toString(encoding);
	const kept = withoutMarkedLines(text, record?.lineEndAdded ?? false);
	if (kept === text) return { kind: 'unchanged' };
	if (kept === '' && record?.saved === null) return { kind: 'removed' };
	return { kind: 'cleaned', bytes: Buffer.from(kept, encoding) };
}

/** Undoes our edit of a file. Returns a line about it; undefined if there was nothing to undo. */
export async function removeLines(
	path: string,
	stateFolder: string,
	manifest: SetupManifest,
): Promise<string | undefined> {
	// A file that is neither recorded nor readable has no lines of ours.
	const isOurs = manifest.fileAt(path) !== undefined || (await markedLinesAt(path).catch(() => undefined));
	if (!isOurs) return undefined;
	return oneAtATime(stateFolder, async () => {
		await manifest.reload();
		const record = manifest.fileAt(path);
		const undo = undoEdit(record, await regularFile(path));
		if ((await markedLinesAt(path)) !== undefined) await editableText(path);
		if (undo.kind !== 'unchanged') {
			if (undo.kind === 'removed') await rm(await targetOf(path), { force: true });
			else await replaceFile(path, undo.bytes, 0o644);
			if (record?.made !== undefined) await removeEmpty(dirname(await targetOf(path)), record.made);
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
			return `${path} was changed since, so only the lines of contextd were removed`;
		case 'unchanged':
			return undefined;
	}
}
