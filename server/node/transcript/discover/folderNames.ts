import { realpath } from 'node:fs/promises';
import { errorCode } from '../../../core/failure.ts';

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
