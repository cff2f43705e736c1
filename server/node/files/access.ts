import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode, errorText, Failure, isMissingFileError } from '../../core/failure.ts';
import { uriToPath } from './fileUri.ts';

/** A regular file of the workspace that is open for reading. The caller closes the handle. */
export interface AccessedFile {
	handle: FileHandle;
	/** The real path, with symbolic links resolved. */
	path: string;
	/** Size of the file when it was opened, in bytes. */
	size: number;
	/** When the file was modified, in milliseconds since the epoch. */
	modifiedAt: number;
}

/**
 * Opens a file of the workspace by URI or path; a relative path is resolved in the first folder. Never blocks on a pipe.
 *
 * The real path must be in one of the folders. The path is checked again after opening, in case the file was replaced in
 * between. Throws `OutsideWorkspace`, or `FileUnreadable` if the file is missing, forbidden or not a regular file.
 */
export async function openInWorkspace(uri: string, folders: readonly string[]): Promise<AccessedFile> {
	const roots = await resolveFolders(folders);
	const path = await resolveExisting(uri, roots);
	refuseSpecial(path, await rethrowUnreadable(path, lstat(path)));
	const handle = await rethrowUnreadable(path, open(path, getOpenFlags()));
	try {
		const stats = await handle.stat();
		refuseSpecial(path, stats);
		const openedPath = await findHandlePath(handle, path, stats);
		if (!isInside(openedPath, roots)) throw createOutsideFailure(uri);
		return { handle, path: openedPath, size: stats.size, modifiedAt: stats.mtimeMs };
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** Returns the real path of a file or folder, given as URI or path. Throws `OutsideWorkspace` if the path is in none of the folders. */
export async function resolveInside(uri: string, folders: readonly string[]): Promise<string> {
	return resolveUnder(uri, await resolveFolders(folders));
}

/** Whether a resolved path is one of the folders or inside one of them. */
export function isInside(path: string, folders: readonly string[]): boolean {
	return folders.some((folder) => {
		const steps = relative(folder, path);
		return steps === '' || (steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps));
	});
}

async function resolveFolders(folders: readonly string[]): Promise<string[]> {
	return Promise.all(folders.map((folder) => resolveExistingPart(resolve(uriToPath(folder)))));
}

async function resolveExisting(uri: string, roots: readonly string[]): Promise<string> {
	await resolveUnder(uri, roots);
	const target = toAbsolutePath(uri, roots);
	return rethrowUnreadable(target, realpath(target));
}

/**
 * Like `resolveInside`, for folders without links in their paths. A path whose links cannot be resolved counts as
 * outside unless the path itself is in one of the folders.
 * @param resolveLinks resolves the links of an absolute path
 */
export async function resolveUnder(
	uri: string,
	roots: readonly string[],
	resolveLinks: (path: string) => Promise<string> = resolveExistingPart,
): Promise<string> {
	const target = toAbsolutePath(uri, roots);
	try {
		const path = await resolveLinks(target);
		if (isInside(path, roots)) return path;
	} catch (error) {
		if (isInside(target, roots)) throw error;
		throw createOutsideFailure(uri, error);
	}
	throw createOutsideFailure(uri);
}

/** Maximum bytes of a path: PATH_MAX of Linux, or the limit of Windows with long paths. */
const maxPathBytes = process.platform === 'win32' ? 32_767 : 4096;

/**
 * Returns the absolute path of a URI or path; a relative path is resolved in the first folder.
 * Throws `FileUnreadable` for a name longer than any system accepts.
 */
function toAbsolutePath(uri: string, roots: readonly string[]): string {
	const path = uriToPath(uri);
	const [first] = roots;
	const absolute = first === undefined ? resolve(path) : resolve(first, path);
	if (Buffer.byteLength(absolute) <= maxPathBytes) return absolute;
	throw toUnreadableFileFailure(
		`${absolute.slice(0, 60)}…`,
		Object.assign(new Error(), { code: 'ENAMETOOLONG' }),
	);
}

/** Resolves the part of a path that exists, and appends the rest unchanged. */
async function resolveExistingPart(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		const parent = dirname(path);
		if (!isMissingFileError(error) || parent === path) throw toUnreadableFileFailure(path, error);
		return join(await resolveExistingPart(parent), basename(path));
	}
}

/** Returns flags for opening a file without waiting for a pipe's writer, taking over a terminal, or following a link. */
function getOpenFlags(): number {
	const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
	return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
}

/** Returns the real path of an open file: as the kernel reports it, else its path if that still leads to the same file. */
async function findHandlePath(handle: FileHandle, path: string, stats: Stats): Promise<string> {
	const link = await readKernelPath(handle);
	if (link !== undefined) return stats.nlink === 0 ? link.replace(/ \(deleted\)$/, '') : link;
	const realPath = await rethrowUnreadable(path, realpath(path));
	const currentStats = await rethrowUnreadable(path, stat(realPath));
	if (currentStats.dev === stats.dev && currentStats.ino === stats.ino) return realPath;
	throw new Failure('FileUnreadable', `${path} was replaced while it was being opened.`, { path });
}

/** Returns a descriptor's path on Linux; undefined on other systems, or if `/proc` is not mounted. */
async function readKernelPath(handle: FileHandle): Promise<string | undefined> {
	if (process.platform !== 'linux') return undefined;
	try {
		return await readlink(`/proc/self/fd/${handle.fd}`);
	} catch (error) {
		if (isMissingFileError(error)) return undefined;
		throw error;
	}
}

function refuseSpecial(path: string, stats: Stats): void {
	if (stats.isFile()) return;
	throw new Failure('FileUnreadable', `${path} is ${describeFileType(stats)}, not a regular file.`, { path });
}

function describeFileType(stats: Stats): string {
	if (stats.isDirectory()) return 'a folder';
	if (stats.isFIFO()) return 'a named pipe';
	if (stats.isSocket()) return 'a socket';
	if (stats.isSymbolicLink()) return 'a symbolic link that appeared while it was being opened';
	return 'a device';
}

async function rethrowUnreadable<T>(path: string, task: Promise<T>): Promise<T> {
	try {
		return await task;
	} catch (error) {
		throw toUnreadableFileFailure(path, error);
	}
}

const reasonsByCode: Record<string, string> = {
	ENOENT: 'does not exist',
	ENOTDIR: 'does not exist: a part of its path is not a folder',
	EACCES: 'may not be read: permission denied',
	EPERM: 'may not be read: permission denied',
	ELOOP: 'cannot be reached: its symbolic links lead in a circle',
	ENAMETOOLONG: 'cannot exist: its name is too long',
	EMFILE: 'cannot be opened: too many files are open',
	ENFILE: 'cannot be opened: too many files are open',
	ENXIO: 'is a socket or a missing device',
};

export function toUnreadableFileFailure(path: string, error: unknown): Failure {
	const code = errorCode(error);
	const reason = reasonsByCode[code] ?? `cannot be read: ${errorText(error)}`;
	return new Failure('FileUnreadable', `${path} ${reason}.`, { path, code }, error);
}

function createOutsideFailure(uri: string, cause?: unknown): Failure {
	return new Failure('OutsideWorkspace', `${uri} is not in the workspace.`, { uri }, cause);
}
