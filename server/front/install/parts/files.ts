import { randomBytes } from 'node:crypto';
import {
	access,
	chmod,
	chown,
	constants,
	mkdir,
	open,
	readFile,
	readlink,
	realpath,
	rename,
	rm,
	rmdir,
	stat,
	writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode, ifExists } from '../../../core/failure.ts';
import { createWorkFailure, describeSystemError } from '../../console/failure.ts';

/** Reads the bytes of a file; undefined if there is none. */
export function readBytesIfExists(path: string): Promise<Buffer | undefined> {
	return ifExists(readFile(path));
}

/** Maximum number of links to follow to a file, as on most systems. */
const maxLinks = 40;

/** Follows symbolic links from a path; returns the path of the file, whether it exists or not. */
export async function resolveLinkTarget(path: string): Promise<string> {
	let target = resolve(path);
	for (let links = 0; links < maxLinks; links++) {
		const realTarget = await ifExists(realpath(target));
		if (realTarget !== undefined) return realTarget;
		const next = await readlink(target).catch(() => undefined);
		if (next === undefined) return target;
		target = resolve(dirname(target), next);
	}
	return target;
}

/**
 * Replaces a file atomically: readers see the old or the new content.
 *
 * Symbolic links stay, and their target is replaced. An existing file keeps its mode and, if this process runs as
 * root, its owner.
 * @param mode mode of a new file
 */
export async function replaceFile(
	path: string,
	bytes: Buffer | string | Iterable<string>,
	mode: number,
): Promise<void> {
	const target = await resolveLinkTarget(path);
	const stats = await stat(target).catch(() => undefined);
	await mkdir(dirname(target), { recursive: true, mode: 0o700 });
	// The name of the file may already have the maximum length.
	const draft = join(dirname(target), `.${randomBytes(6).toString('hex')}.contextd`);
	try {
		const file = await open(draft, 'wx', 0o600);
		try {
			await writeFile(file, bytes);
			await file.sync();
		} finally {
			await file.close();
		}
		if (stats !== undefined && process.getuid?.() === 0) await chown(draft, stats.uid, stats.gid);
		await chmod(draft, stats === undefined ? mode : stats.mode & 0o7777);
		await rename(draft, target);
	} catch (error) {
		// If the draft cannot be removed either, the first error is the one to report.
		await rm(draft, { force: true }).catch(() => undefined);
		throw error;
	}
}

/**
 * Replaces a folder by one that `fill` creates under another name; if `fill` fails, the old folder stays. A new
 * parent folder is private.
 */
export async function replaceFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
	const draft = `${folder}.${randomBytes(6).toString('hex')}`;
	await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
	try {
		await fill(draft);
		await rm(folder, { recursive: true, force: true });
		await rename(draft, folder);
	} catch (error) {
		await rm(draft, { recursive: true, force: true });
		throw error;
	}
}

/** Throws with exit code 1 if a file of the user, or the target of a link, must not be replaced. */
export async function requireWritable(path: string): Promise<void> {
	const target = await resolveLinkTarget(path);
	const refuse = (reason: string): Error => createWorkFailure(`${path} ${reason}; it was left unchanged`);
	const stats = await stat(target).catch(() => undefined);
	if (stats !== undefined && !stats.isFile()) throw refuse('is not a file');
	// The user write-protected the file on purpose, even if this process could write it anyway.
	if (stats !== undefined && (stats.mode & 0o222) === 0) throw refuse('is read-only');
	const ownUid = process.getuid?.();
	if (stats !== undefined && ownUid !== undefined && ownUid !== 0 && stats.uid !== ownUid)
		throw refuse('belongs to another user');
	const folder = stats === undefined ? await findNearestFolder(dirname(target)) : dirname(target);
	await access(folder, constants.W_OK).catch((error) => {
		throw refuse(`cannot be written: ${describeSystemError(error)}`);
	});
}

async function findNearestFolder(folder: string): Promise<string> {
	const existing = await ifExists(stat(folder)).catch(() => folder);
	return existing || dirname(folder) === folder ? folder : findNearestFolder(dirname(folder));
}

/** Returns the outermost missing folder on the path to a folder; undefined if the folder exists. */
export async function findMissingFolder(folder: string): Promise<string | undefined> {
	if (await exists(folder)) return undefined;
	return (await findMissingFolder(dirname(folder))) ?? folder;
}

async function exists(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}

/** Removes empty folders, from a folder up to the outermost one that was created for it. */
export async function removeEmptyFolders(folder: string, outermost: string | undefined): Promise<void> {
	if (outermost === undefined || !folder.startsWith(outermost)) return;
	try {
		await rmdir(folder);
	} catch (error) {
		const code = errorCode(error);
		if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
		if (code !== 'ENOENT') throw error;
	}
	await removeEmptyFolders(dirname(folder), outermost);
}
