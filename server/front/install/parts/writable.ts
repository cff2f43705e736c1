import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifExists } from '../../../core/failure.ts';
import { systemErrorReason, workFailed } from '../../console/failure.ts';
import { linkTargetOf } from './replaceFile.ts';

/**
 * Throws one line with exit code 1 if a file of the user must not be replaced. Links are followed: their target is
 * checked.
 */
export async function requireWritable(path: string): Promise<void> {
	const target = await linkTargetOf(path);
	const refuse = (why: string): Error => workFailed(`${path} ${why}; it was left unchanged`);
	const found = await stat(target).catch(() => undefined);
	if (found !== undefined && !found.isFile()) throw refuse('is not a file');
	// A write-protected file is protected on purpose, even if this user could write it anyway.
	if (found !== undefined && (found.mode & 0o222) === 0) throw refuse('is read-only');
	const own = process.getuid?.();
	if (found !== undefined && own !== undefined && own !== 0 && found.uid !== own) {
		throw refuse('belongs to another user');
	}
	const place = found === undefined ? await nearestFolder(dirname(target)) : dirname(target);
	await access(place, constants.W_OK).catch((error) => {
		throw refuse(`cannot be written: ${systemErrorReason(error)}`);
	});
}

async function nearestFolder(folder: string): Promise<string> {
	const found = await ifExists(stat(folder)).catch(() => folder);
	return found || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
