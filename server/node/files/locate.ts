/** Finds the real paths of the files that a session's tool calls name: thousands at once for a long history. */

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { isMissingFileError } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { resolveUnder, toUnreadableFileFailure } from './access.ts';
import { uriToPath } from './fileUri.ts';

/** The path of a folder with links resolved; a missing part stays unchanged. */
interface RealFolder {
	path: string;
	exists: boolean;
}

/** Milliseconds for which the real path of a folder is cached. Short, because symbolic links may change. */
const cacheMs = 1000;

const folderCache = new LRUCache<string, Promise<RealFolder>>({ max: 1000, ttl: cacheMs });

/**
 * Returns the real path of a file, given as URI or path. Suffices for watching; opening a file checks the path again.
 *
 * Throws `OutsideWorkspace` if the path is in none of the folders, and `FileUnreadable` if it cannot be inspected.
 */
export async function resolveRealPath(uri: string, folders: readonly string[]): Promise<string> {
	const roots = await Promise.all(
		folders.map(async (folder) => (await resolveFolder(resolve(uriToPath(folder)))).path),
	);
	return resolveUnder(uri, roots, resolveFile);
}

async function resolveFile(target: string): Promise<string> {
	const parent = dirname(target);
	if (parent === target) return target;
	const folder = await resolveFolder(parent);
	const path = join(folder.path, basename(target));
	return folder.exists && (await isLink(path)) ? ((await resolveIfExists(path)) ?? path) : path;
}

function resolveFolder(path: string): Promise<RealFolder> {
	return getOrInsert(folderCache, path, findFolder);
}

async function findFolder(path: string): Promise<RealFolder> {
	const realPath = await resolveIfExists(path);
	if (realPath !== undefined) return { path: realPath, exists: true };
	const parent = await resolveFolder(dirname(path));
	return { path: join(parent.path, basename(path)), exists: false };
}

/** Returns the real path of a file or folder; undefined if it does not exist. */
async function resolveIfExists(path: string): Promise<string | undefined> {
	try {
		return await realpath(path);
	} catch (error) {
		if (isMissingFileError(error) && dirname(path) !== path) return undefined;
		throw toUnreadableFileFailure(path, error);
	}
}

async function isLink(path: string): Promise<boolean> {
	try {
		return (await lstat(path)).isSymbolicLink();
	} catch (error) {
		if (isMissingFileError(error)) return false;
		throw toUnreadableFileFailure(path, error);
	}
}
