/** Converts folders and files between URIs and paths. */

import { resolvePath } from './touches/path.ts';

/** Returns the `file:` URI of an absolute path with forward slashes. Lone surrogates become U+FFFD. */
export function pathToUri(path: string): string {
	const steps = path
		.toWellFormed()
		.split('/')
		.map((step) => encodeURIComponent(step).replaceAll('%3A', ':'));
	return `file://${path.startsWith('/') ? '' : '/'}${steps.join('/')}`;
}

/** Matches the start of a `file:` URI. Case-insensitive, as all URI schemes are. */
const fileSchemePattern = /^file:\/\//i;

/** Matches the start of a Windows path with a drive letter and either kind of slash. */
const drivePathPattern = /^[A-Za-z]:[\\/]/;

/** Returns the path of a `file:` URI or an absolute path, with forward slashes; else undefined. */
export function toSlashedPath(uri: string | undefined): string | undefined {
	if (uri === undefined) return undefined;
	if (drivePathPattern.test(uri)) return uri.replaceAll('\\', '/');
	if (!fileSchemePattern.test(uri)) return uri.startsWith('/') ? uri : undefined;
	try {
		const path = decodeURIComponent(new URL(uri).pathname);
		return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
	} catch {
		return undefined;
	}
}

/** Returns an absolute path as a URI; returns anything else unchanged. */
export function toUri(location: string): string {
	if (fileSchemePattern.test(location)) return location;
	const path = toSlashedPath(location);
	return path === undefined ? location : pathToUri(resolvePath(undefined, path));
}

/** Returns a key that is equal for all names of one location: paths and URIs, whatever their escapes or final slash. */
export function createLocationKey(location: string): string {
	const path = isOnRemoteHost(location) ? undefined : toSlashedPath(location);
	if (path === undefined) return removeEndingSlashes(location);
	const resolvedPath = resolvePath(undefined, path);
	return drivePathPattern.test(resolvedPath)
		? resolvedPath.charAt(0).toLowerCase() + resolvedPath.slice(1)
		: resolvedPath;
}

/** Whether a URI names a location on another host, which the path alone cannot show. */
export function isOnRemoteHost(uri: string): boolean {
	return fileSchemePattern.test(uri) && !/^file:\/\/(?:localhost)?\//i.test(uri);
}

function removeEndingSlashes(uri: string): string {
	let end = uri.length;
	while (uri.charAt(end - 1) === '/') end--;
	return uri.slice(0, end);
}
