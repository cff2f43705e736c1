import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode, errorText, Failure, isMissing } from '../../core/failure.ts';
import { pathOfUri } from './fileUri.ts';

/** A regular file that lies in the workspace, open for reading. Its owner closes the handle. */
export interface AccessedFile {
	handle: FileHandle;
	/** Where it really lies, symbolic links resolved. */
	path: string;
	/** Bytes, at the moment of opening. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

/**
 * Opens a file that a URI or path names (a relative path: under the first folder), provided that it really
 * lies under one of the folders, symbolic links resolved. Whatever happens between the look and the opening,
 * what was opened is looked at again. Throws `OutsideWorkspace`, or `FileUnreadable` for what is absent,
 * forbidden or no regular file; never waits for the other end of a pipe.
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
		if (!isInside(opened, roots)) throw outside(uri);
		return { handle, path: opened, size: stats.size, modifiedAt: stats.mtimeMs };
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** The path that a URI or path names, links resolved as far as it exists; `OutsideWorkspace` elsewhere. */
export async function resolveInside(uri: string, folders: readonly string[]): Promise<string> {
	return resolveUnder(uri, await realFolders(folders));
}

/** Whether a resolved path is one of the folders or lies under one. */
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

/** What cannot even be looked at is outside as well, unless its name says otherwise. */
async function resolveUnder(uri: string, roots: readonly string[]): Promise<string> {
	const wanted = absolutePath(uri, roots);
	const path = isInside(wanted, roots) ? await nearestRealPath(wanted) : await orOutside(uri, wanted);
	if (isInside(path, roots)) return path;
	throw outside(uri);
}

async function orOutside(uri: string, path: string): Promise<string> {
	try {
		return await nearestRealPath(path);
	} catch (error) {
		throw new Failure('OutsideWorkspace', outside(uri).message, { uri }, error);
	}
}

/** Bytes of the longest path that a system takes: PATH_MAX of Linux, and that of Windows with long paths. */
const longestPath = process.platform === 'win32' ? 32_767 : 4096;

/**
 * The absolute path that a URI or path names, under the first folder where it is relative. Throws `FileUnreadable`
 * for a name that is longer than any system takes.
 */
export function absolutePath(uri: string, roots: readonly string[]): string {
	const path = pathOfUri(uri);
	const [first] = roots;
	const absolute = first === undefined ? resolve(path) : resolve(first, path);
	if (Buffer.byteLength(absolute) <= longestPath) return absolute;
	throw unreadable(`${absolute.slice(0, 60)}…`, Object.assign(new Error(), { code: 'ENAMETOOLONG' }));
}

/** The real path of what exists of a path, and the rest of it as it was written. */
async function nearestRealPath(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		const parent = dirname(path);
		if (!isMissing(error) || parent === path) throw unreadable(path, error);
		return join(await nearestRealPath(parent), basename(path));
	}
}

/** No waiting for a pipe's writer, no terminal taken over, no link followed that appeared meanwhile. */
function openFlags(): number {
	const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
	return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
}

/** Where an open file really lies: as the kernel says, else its path if that still leads to the same file. */
async function pathOfHandle(handle: FileHandle, path: string, stats: Stats): Promise<string> {
	const link = await kernelPath(handle);
	if (link !== undefined) return stats.nlink === 0 ? link.replace(/ \(deleted\)$/, '') : link;
	const real = await orUnreadable(path, realpath(path));
	const now = await orUnreadable(path, stat(real));
	if (now.dev === stats.dev && now.ino === stats.ino) return real;
	throw new Failure('FileUnreadable', `${path} was replaced while it was being opened.`, { path });
}

/** What Linux says that a descriptor leads to; absent elsewhere, and where `/proc` is not mounted. */
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
		throw unreadable(path, error);
	}
}

const reasons: Record<string, string> = {
	ENOENT: 'does not exist',
	ENOTDIR: 'does not exist: a part of its path is no folder',
	EACCES: 'may not be read: permission denied',
	EPERM: 'may not be read: permission denied',
	ELOOP: 'cannot be reached: its symbolic links lead in a circle',
	ENAMETOOLONG: 'cannot exist: its name is too long',
	EMFILE: 'cannot be opened: too many files are open',
	ENFILE: 'cannot be opened: too many files are open',
	ENXIO: 'is a socket or a device that is not there',
};

export function unreadable(path: string, error: unknown): Failure {
	const code = errorCode(error);
	const why = reasons[code] ?? `cannot be read: ${errorText(error)}`;
	return new Failure('FileUnreadable', `${path} ${why}.`, { path, code }, error);
}

export function outside(uri: string): Failure {
	return new Failure('OutsideWorkspace', `${uri} does not lie in the workspace.`, { uri });
}
