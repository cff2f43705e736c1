import { readFileSync, statSync } from 'node:fs';
import { errorCode } from '../../core/failure.ts';

/** Bytes of a small file that are read at most. */
const largest = 16 << 20;

/** The text of a file, without waiting; empty where it is not there, may not be read, or is too large. */
export function textNow(path: string): string {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats?.isFile() && stats.size <= largest ? readFileSync(path, 'utf8') : '';
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error))) return '';
		throw error;
	}
}
