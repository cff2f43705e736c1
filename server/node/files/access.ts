import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode, errorText, Failure, isMissing } from '../../core/failure.ts';
import { pathOfUri } from './fileUri.ts';

/** A regular file in the workspace, open for reading. The caller closes the handle. */
export interface AccessedFile {
	handle: FileHandle;
	/** The real path, with symbolic links resolved. */
	path: string;
	/** Size in bytes when it was opened. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

/**
 * Opens a file of the workspace by URI or path; a relative path is resolved in the first folder.
 *
 * The real path must be in one of the folders. It is checked again after opening, in case the file was replaced in
 * between. Throws `OutsideWorkspace`, or `FileUnreadable` if the file is missing, forbidden or not a regular file. Never
 * blocks on a pipe.
 */
export async function openInWorkspace(uri: string, folders: readonly string[]): Promise<AccessedFile> {
	const roots = await realFolders(folders);
	const path = await realPathInside(uri, roots);
	refuseSpecial(path, await orUnreadable(path, lstat(path)));
	const handle = await orUnreadable(path, open(path, openFlags()));
	try {
		const stats = await handle.stat();
		refuseSpecial(path, stats);
		const opened = await pathOfHandle(handle, path, stats);
		if (!isInside(opened, roots)) throw outsideWorkspaceFailure(uri);
		return { handle, path: opened, size: stats.size, modifiedAt: stats.mtimeMs };
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The real path of a URI or path, as far as it exists; throws `OutsideWorkspace` if it is outside. */
export async function resolveInside(uri: string, folders: readonly string[]): Promise<string> {
	return resolveUnder(uri, await realFolders(folders));
}

/** Whether a resolved path is one of the folders or in one. */
export function isInside(path: string, folders: readonly string[]): boolean {
	return folders.some((folder) => {
		const steps = relative(folder, path);
		return steps === '' || (steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps));
	});
}

async function realFolders(folders: readonly string[]): Promise<string[]> {
	return Promise.all(folders.map((folder) => nearestRealPath(resolve(pathOfUri(folder)))));
}

async function realPathInside(uri: string, roots: readonly string[]): Promise<string> {
	await resolveUnder(uri, roots);
	const wanted = absolutePath(uri, roots);
	return orUnreadable(wanted, realpath(wanted));
}

/** A path that cannot be inspected is outside too, unless the path itself lies in a folder. */
async function resolveUnder(uri: string, roots: readonly string[]): Promise<string> {
	const wanted = absolutePath(uri, roots);
	const path = isInside(wanted, roots)
		? await nearestRealPath(wanted)
		: await orOutsideWorkspace(uri, nearestRealPath(wanted));
	if (isInside(path, roots)) return path;
	throw outsideWorkspaceFailure(uri);
}

/** Returns what resolving a URI yields; rejects with `OutsideWorkspace` if it fails. */
export async function orOutsideWorkspace(uri: string, resolving: Promise<string>): Promise<string> {
	try {
		return await resolving;
	} catch (error) {
		throw new Failure('OutsideWorkspace', outsideWorkspaceFailure(uri).message, { uri }, error);
	}
}

/** Maximum bytes of a path: PATH_MAX of Linux, or the limit of Windows with long paths. */
const maxPathBytes = process.platform === 'win32' ? 32_767 : 4096;

/**
 * The absolute path of a URI or path; a relative one is resolved in the first folder.
 * Throws `FileUnreadable` for a name longer than any system accepts.
 */
export function absolutePath(uri: string, roots: readonly string[]): string {
	const path = pathOfUri(uri);
	const [first] = roots;
	const absolute = first === undefined ? resolve(path) : resolve(first, path);
	if (Buffer.byteLength(absolute) <= maxPathBytes) return absolute;
	throw unreadableFileFailure(
		`${absolute.slice(0, 60)}…`,
		Object.assign(new Error(), { code: 'ENAMETOOLONG' }),
	);
}

/** The real path of the existing part of a path, followed by the rest unchanged. */
async function nearestRealPath(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		const parent = dirname(path);
		if (!isMissing(error) || parent === path) throw unreadableFileFailure(path, error);
		return join(await nearestRealPath(parent), basename(path));
	}
}

/** Does not wait for a pipe's writer, take over a terminal, or follow a link that appeared meanwhile. */
function openFlags(): number {
	const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
	return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
}

/** The real path of an open file: from the kernel, else its path if that still leads to the same file. */
async function pathOfHandle(handle: FileHandle, path: string, stats: Stats): Promise<string> {
	const link = await kernelPath(handle);
	if (link !== undefined) return stats.nlink === 0 ? link.replace(/ \(deleted\)$/, '') : link;
	const real = await orUnreadable(path, realpath(path));
	const now = await orUnreadable(path, stat(real));
	if (now.dev === stats.dev && now.ino === stats.ino) return real;
	throw new Failure('FileUnreadable', `${path} was replaced while it was being opened.`, { path });
}

/** The path of a descriptor on Linux; undefined on other systems, or if `/proc` is not mounted. */
async function kernelPath(handle: FileHandle): Promise<string | undefined> {
	if (process.platform !== 'linux') return undefined;
	try {
		return await readlink(`/proc/self/fd/${handle.fd}`);
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw error;
	}
}

function refuseSpecial(path: string, stats: Stats): void {
	if (stats.isFile()) return;
	throw new Failure('FileUnreadable', `${path} is ${kindOf(stats)}, not a regular file.`, { path });
}

function kindOf(stats: Stats): string {
	if (stats.isDirectory()) return 'a folder';
	if (stats.isFIFO()) return 'a named pipe';
	if (stats.isSocket()) return 'a socket';
	if (stats.isSymbolicLink()) return 'a symbolic link that appeared while it was being opened';
	return 'a device';
}

async function orUnreadable<T>(path: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		throw unreadableFileFailure(path, error);
	}
}

const reasons: Record<string, string> = {
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

export function unreadableFileFailure(path: string, error: unknown): Failure {
	const code = errorCode(error);
	const why = reasons[code] ?? `cannot be read: ${errorText(error)}`;
	return new Failure('FileUnreadable', `${path} ${why}.`, { path, code }, error);
}

export function outsideWorkspaceFailure(uri: string): Failure {
	return new Failure('OutsideWorkspace', `${uri} is not in the workspace.`, { uri });
}
