import { realpath } from 'node:fs/promises';
import { errorCode } from '../unreadable.ts';

/** A folder under its own name, and under the one that its symbolic links lead to. */
export async function folderNames(folder: string): Promise<string[]> {
	const plain = withoutEndingSlashes(folder);
	try {
		return [...new Set([plain, await realpath(plain)])];
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errorCode(error))) return [plain];
		throw error;
	}
}

function withoutEndingSlashes(folder: string): string {
	let end = folder.length;
	while (end > 1 && '/\\'.includes(folder.charAt(end - 1))) end--;
	return folder.slice(0, end);
}
