import { countUtf8Bytes } from '../../output/textSize.ts';
import { maxPathBytes } from './tuning.ts';

/**
 * Normalizes a path for comparison: forward slashes, no `.` steps, `..` resolved if possible, no final
 * slash. Home paths (`~/x`) and drives (`C:/x`) keep their roots.
 */
function normalizePath(path: string): string {
	const slashed = removeFileScheme(path).replaceAll('\\', '/');
	const root = findRoot(slashed);
	const steps: string[] = [];
	for (const step of slashed.slice(root.length).split('/')) {
		if (step === '' || step === '.') continue;
		if (step !== '..') {
			steps.push(step);
			continue;
		}
		const parentStep = steps.at(-1);
		if (parentStep !== undefined && parentStep !== '..') steps.pop();
		else if (root === '') steps.push('..');
	}
	const joinedPath = root + steps.join('/');
	if (joinedPath === '') return '.';
	return joinedPath.length > 1 && joinedPath.endsWith('/') ? joinedPath.slice(0, -1) : joinedPath;
}

/** Resolves a relative path against a folder, and normalizes any path. */
export function resolvePath(folder: string | undefined, path: string): string {
	if (folder === undefined || isAbsolute(path)) return normalizePath(path);
	return normalizePath(`${folder}/${path}`);
}

/**
 * Returns a file's path, resolved against a folder; undefined if no file can have this path. A path longer than
 * `maxPathBytes`, as written or joined, names no file. A relative path names no file if the folder is unknown (`null`).
 */
export function resolveFilePath(folder: string | undefined | null, path: string): string | undefined {
	if (path.length > maxPathBytes || (folder === null && !isAbsolute(path))) return undefined;
	const resolvedPath = resolvePath(folder ?? undefined, path);
	return countUtf8Bytes(resolvedPath) > maxPathBytes ? undefined : resolvedPath;
}

/** Returns the path of a file with the same name in another folder. */
export function placeInFolder(folder: string, path: string): string {
	return `${folder.replace(/\/$/, '')}/${path.slice(path.lastIndexOf('/') + 1)}`;
}

function isAbsolute(path: string): boolean {
	return findRoot(removeFileScheme(path).replaceAll('\\', '/')) !== '';
}

/** Returns the prefix that makes a path absolute: `/`, `C:/`, `//` of a network share, `~/`; empty if relative. */
function findRoot(path: string): string {
	if (path.startsWith('//')) return '//';
	if (path.startsWith('/')) return '/';
	if (/^[A-Za-z]:\//.test(path)) return path.slice(0, 3);
	const home = /^~[^/]*(?:\/|$)/.exec(path);
	return home === null ? '' : home[0];
}

function removeFileScheme(path: string): string {
	if (!path.startsWith('file://')) return path;
	const rest = path.slice('file://'.length);
	return /^\/[A-Za-z]:/.test(rest) ? rest.slice(1) : rest;
}
