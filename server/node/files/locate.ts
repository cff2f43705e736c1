/** Locates the files that a session's calls name: thousands at once when a long history is loaded. */

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { isMissing } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import {
	absolutePath,
	isInside,
	orOutsideWorkspace,
	outsideWorkspaceFailure,
	unreadableFileFailure,
} from './access.ts';
import { pathOfUri } from './fileUri.ts';

/** A folder with symbolic links resolved, as far as it exists. */
interface RealFolder {
	path: string;
	exists: boolean;
}

/** Milliseconds that the real path of a folder is cached; a link may change. */
const cacheMs = 1000;

const knownFolders = new LRUCache<string, Promise<RealFolder>>({ max: 1000, ttl: cacheMs });

/**
 * The real path of a URI or path, as far as it exists. Good enough for watching; opening a file checks it again.
 *
 * Throws `OutsideWorkspace` if it is in none of the folders, and `FileUnreadable` if it cannot be inspected.
 */
export async function resolveRealPath(uri: string, folders: readonly string[]): Promise<string> {
	const roots = await Promise.all(
		folders.map(async (folder) => (await realFolder(resolve(pathOfUri(folder)))).path),
	);
	const wanted = absolutePath(uri, roots);
	const path = isInside(wanted, roots)
		? await realPath(wanted)
		: await orOutsideWorkspace(uri, realPath(wanted));
	if (isInside(path, roots)) return path;
	throw outsideWorkspaceFailure(uri);
}

async function realPath(wanted: string): Promise<string> {
	const parent = dirname(wanted);
	if (parent === wanted) return wanted;
	const folder = await realFolder(parent);
	const path = join(folder.path, basename(wanted));
	return folder.exists && (await isLink(path)) ? ((await realPathIfExists(path)) ?? path) : path;
}

function realFolder(path: string): Promise<RealFolder> {
	return getOrInsert(knownFolders, path, findFolder);
}

async function findFolder(path: string): Promise<RealFolder> {
	const real = await realPathIfExists(path);
	if (real !== undefined) return { path: real, exists: true };
	const parent = await realFolder(dirname(path));
	return { path: join(parent.path, basename(path)), exists: false };
}

/** The real path of a file or folder; undefined if there is none. */
async function realPathIfExists(path: string): Promise<string | undefined> {
	try {
		return await realpath(path);
	} catch (error) {
		if (isMissing(error) && dirname(path) !== path) return undefined;
		throw unreadableFileFailure(path, error);
	}
}

async function isLink(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isSymbolicLink();
	} catch (error) {
		if (isMissing(error)) return false;
		throw unreadableFileFailure(path, error);
	}
}
