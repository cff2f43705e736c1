import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, isMissing } from '../../core/failure.ts';
import { fitRead } from '../../core/files/fitRead.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';
import { notTextNotice, planRead } from '../../core/files/readPlan.ts';
import type { FileReader, ReadForWindow, WindowRead } from '../../session/files/reader.ts';
import { openInWorkspace } from './access.ts';
import { resolveRealPath } from './locate.ts';
import { contentHashOf, readFileRange } from './readFile.ts';

/** Reads files of this machine. */
export const fileReader: FileReader = {
	read: readForWindow,
	locate: resolveRealPath,
	changedAt,
	facts: readFacts,
};

async function changedAt(path: string): Promise<number | undefined> {
	try {
		const stats = await lstat(path);
		// A file that was moved or copied with its date keeps that date, but its status changed now.
		return stats.isFile() ? Math.max(stats.mtimeMs, stats.ctimeMs) : undefined;
	} catch (error) {
		if (isMissing(error)) {
			return undefined;
		}
		throw error;
	}
}

async function readFacts(path: string): Promise<FileFacts | undefined> {
	try {
		// A link at the file's place leads out of this folder, or to another file that is watched itself.
		const file = await openInWorkspace(path, [dirname(path)]);
		try {
			return { contentHash: await contentHashOf(file), modifiedAt: file.modifiedAt };
		} finally {
			await file.handle.close();
		}
	} catch (error) {
		if (isAbsence(error)) return undefined;
		throw error;
	}
}

/** Whether an error means that there is no regular file. */
function isAbsence(error: unknown): boolean {
	if (!(error instanceof Failure)) return false;
	if (error.kind === 'OutsideWorkspace') return true;
	const { code } = error.data;
	return error.kind === 'FileUnreadable' && (code === undefined || code === 'ENOENT' || code === 'ENOTDIR');
}

/**
 * Reads as much of a workspace file as the window's budget allows.
 *
 * Images and binary files are excluded, with a notice that describes them. Throws like `openInWorkspace` and
 * `readFileRange`.
 */
export async function readForWindow(wanted: WindowRead): Promise<ReadForWindow> {
	const { startLine, endLine, signal } = wanted;
	const file = await openInWorkspace(wanted.uri, wanted.workspaceFolders);
	try {
		const plan = planRead(file.size, wanted);
		const reading = await readFileRange(file, { startLine, endLine, maxUnits: plan.maxUnits, signal });
		const { path, size, contentHash, content } = reading;
		if (content.kind === 'text') {
			const fitted = fitRead({ ...content, path }, plan, wanted.allowance, wanted.measure);
			const { firstLine, totalLines } = content;
			return { ...fitted, path, firstLine, totalLines, contentHash };
		}
		const notice = notTextNotice({ ...content, path, size });
		const nothing = { content: '', tokens: 0, firstLine: 1, lastLine: 0, lastWholeLine: 0, totalLines: 0 };
		return { status: 'excluded', notice, ...nothing, path, contentHash };
	} finally {
		await file.handle.close();
	}
}
