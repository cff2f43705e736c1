import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure, isMissingFileError } from '../../core/failure.ts';
import { fitRead } from '../../core/files/fitRead.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';
import { describeNonTextFile, planRead } from '../../core/files/readPlan.ts';
import type { FileRead, FileReader, FileReadRequest } from '../../session/files/reader.ts';
import { openInWorkspace } from './access.ts';
import { resolveRealPath } from './locate.ts';
import { hashContent, readFileRange } from './readFile.ts';

export const fileReader: FileReader = {
	read: readForWindow,
	locate: resolveRealPath,
	readChangeTime,
	readFacts,
};

async function readChangeTime(path: string): Promise<number | undefined> {
	try {
		const stats = await lstat(path);
		// Moving or copying a file may preserve its modification time, but always updates its status time (ctime).
		return stats.isFile() ? Math.max(stats.mtimeMs, stats.ctimeMs) : undefined;
	} catch (error) {
		if (isMissingFileError(error)) return undefined;
		throw error;
	}
}

async function readFacts(path: string): Promise<FileFacts | undefined> {
	try {
		// A symbolic link is refused: it leads out of the folder, or to a file that is watched by its own path.
		const file = await openInWorkspace(path, [dirname(path)]);
		try {
			return { contentHash: await hashContent(file), modifiedAt: file.modifiedAt };
		} finally {
			await file.handle.close();
		}
	} catch (error) {
		if (isAbsence(error)) return undefined;
		throw error;
	}
}

/** Whether an error means that there is no regular file at the path. */
function isAbsence(error: unknown): boolean {
	if (!(error instanceof Failure)) return false;
	if (error.kind === 'OutsideWorkspace') return true;
	const { code } = error.data;
	return error.kind === 'FileUnreadable' && (code === undefined || code === 'ENOENT' || code === 'ENOTDIR');
}

/**
 * Reads as much of a workspace file as the window's budget allows.
 *
 * Returns a notice instead of the content for images and binary files. Throws like `openInWorkspace` and `readFileRange`.
 */
export async function readForWindow(request: FileReadRequest): Promise<FileRead> {
	const { startLine, endLine, signal } = request;
	const file = await openInWorkspace(request.uri, request.workspaceFolders);
	try {
		const plan = planRead(file.size, request);
		const result = await readFileRange(file, { startLine, endLine, maxUnits: plan.maxUnits, signal });
		const { path, size, contentHash, content } = result;
		if (content.kind === 'text') {
			const fitted = fitRead({ ...content, path }, plan, request.allowance, request.measure);
			const { firstLine, totalLines } = content;
			return { ...fitted, path, firstLine, totalLines, contentHash };
		}
		const notice = describeNonTextFile({ ...content, path, sizeBytes: size });
		const nothing = { content: '', tokens: 0, firstLine: 1, lastLine: 0, lastWholeLine: 0, totalLines: 0 };
		return { status: 'excluded', notice, ...nothing, path, contentHash };
	} finally {
		await file.handle.close();
	}
}
