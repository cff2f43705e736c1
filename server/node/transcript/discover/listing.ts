import { readdir, realpath } from 'node:fs/promises';
import { errorCode, Failure, ifExists } from '../../../core/failure.ts';
import { readWholeFile } from '../openFile.ts';

/** A file that may be a transcript. */
export interface TranscriptCandidate {
	path: string;
	/** Whether its location already shows that it belongs to the requested folder. */
	belongs: boolean;
}

/** Maximum files per agent to inspect if only their content shows the folder. */
export const maxCandidates = 400;

/** The names in a folder, sorted; none if it is not a folder or cannot be read. */
export async function listNames(folder: string): Promise<string[]> {
	return ((await ifExists(readdir(folder), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) ?? []).sort();
}

/** Maximum bytes of a file next to the transcripts. */
const maxSideFileBytes = 16 << 20;

/** The text of a file next to the transcripts; empty if it is missing or unreadable. */
export async function textOfFile(path: string): Promise<string> {
	try {
		return (await readWholeFile(path, maxSideFileBytes)).toString('utf8');
	} catch (error) {
		const isRefused = error instanceof Failure;
		if (isRefused || ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error))) return '';
		throw error;
	}
}

/** Errors of folders that cannot be inspected; the last one is for a name with a NUL. */
const unreachable = [
	'ENOENT',
	'ENOTDIR',
	'EACCES',
	'EPERM',
	'ELOOP',
	'ENAMETOOLONG',
	'ERR_INVALID_ARG_VALUE',
];

/** A folder's path as given, and its real path. */
export async function folderNames(folder: string): Promise<string[]> {
	const plain = withoutEndingSlashes(folder);
	try {
		return [...new Set([plain, await realpath(plain)])];
	} catch (error) {
		if (unreachable.includes(errorCode(error))) return [plain];
		throw error;
	}
}

function withoutEndingSlashes(folder: string): string {
	let end = folder.length;
	while (end > 1 && '/\\'.includes(folder.charAt(end - 1))) end--;
	return folder.slice(0, end);
}
