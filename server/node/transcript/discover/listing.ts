import { readdir, realpath } from 'node:fs/promises';
import { errorCode, Failure, ifExists } from '../../../core/failure.ts';
import { readWholeFile } from '../openFile.ts';

/** A file that may be a transcript. */
export interface TranscriptCandidate {
	path: string;
	/** Whether the location of the file shows that it belongs to the requested folder. */
	belongsToFolder: boolean;
}

/** Maximum files of an agent that are inspected if only their content shows the folder. */
export const maxCandidates = 400;

/** Returns the names in a folder, sorted; none if the path is not a readable folder. */
export async function listNames(folder: string): Promise<string[]> {
	return ((await ifExists(readdir(folder), ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) ?? []).sort();
}

/** Maximum bytes of an index or manifest next to transcripts. */
const maxSideFileBytes = 16 << 20;

/** Reads an index or manifest next to transcripts; returns an empty text if it is missing or unreadable. */
export async function readSideFile(path: string): Promise<string> {
	try {
		return (await readWholeFile(path, maxSideFileBytes)).toString('utf8');
	} catch (error) {
		const isRefused = error instanceof Failure;
		if (isRefused || ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error))) return '';
		throw error;
	}
}

/** Errors for folders that cannot be inspected; the last one is for a name with a NUL. */
const unreachableCodes = [
	'ENOENT',
	'ENOTDIR',
	'EACCES',
	'EPERM',
	'ELOOP',
	'ENAMETOOLONG',
	'ERR_INVALID_ARG_VALUE',
];

/** Returns a folder's path as given, and its real path if that differs. */
export async function resolveFolderNames(folder: string): Promise<string[]> {
	const givenPath = removeEndingSlashes(folder);
	try {
		return [...new Set([givenPath, await realpath(givenPath)])];
	} catch (error) {
		if (unreachableCodes.includes(errorCode(error))) return [givenPath];
		throw error;
	}
}

function removeEndingSlashes(folder: string): string {
	let end = folder.length;
	while (end > 1 && '/\\'.includes(folder.charAt(end - 1))) end--;
	return folder.slice(0, end);
}
