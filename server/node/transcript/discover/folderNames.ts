import { realpath } from 'node:fs/promises';
import { errorCode } from '../../../core/failure.ts';

/** How a folder that cannot be looked at is refused; the last one is a name with a zero in it. */
const unreachable = [
	'ENOENT',
	'ENOTDIR',
	'EACCES',
	'EPERM',
	'ELOOP',
	'ENAMETOOLONG',
	'ERR_INVALID_ARG_VALUE',
];

/** A folder under its own name, and under the one that its symbolic links lead to. */
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
