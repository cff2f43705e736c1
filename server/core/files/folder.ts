/** Folders and files as URIs and as paths. */

import { resolvePath } from './touches/path.ts';

/** The `file:` URI of an absolute path with forward slashes; half a surrogate pair becomes U+FFFD. */
export function uriOfPath(path: string): string {
	const steps = path
		.toWellFormed()
		.split('/')
		.map((step) => encodeURIComponent(step).replaceAll('%3A', ':'));
	return `file://${path.startsWith('/') ? '' : '/'}${steps.join('/')}`;
}

/** Letters of a scheme, and of a host, may be of either case. */
const fileScheme = /^file:\/\//i;

/** A path of Windows: with a drive, with slashes of either kind. */
const drivePath = /^[A-Za-z]:[\\/]/;

/** The path of a `file:` URI or of an absolute path, with forward slashes; undefined for anything else, and for none. */
export function folderOf(uri: string | undefined): string | undefined {
	if (uri === undefined) return undefined;
	if (drivePath.test(uri)) return uri.replaceAll('\\', '/');
	if (!fileScheme.test(uri)) return uri.startsWith('/') ? uri : undefined;
	try {
		const path = decodeURIComponent(new URL(uri).pathname);
		return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
	} catch {
		return undefined;
	}
}

/** An absolute path as a URI; what is a URI already stays as it is. */
export function asUri(named: string): string {
	if (fileScheme.test(named)) return named;
	const path = folderOf(named);
	return path === undefined ? named : uriOfPath(resolvePath(undefined, path));
}

/** Equal for all names of one place: its URI however it is escaped, its path, with a slash at the end or without. */
export function placeKey(named: string): string {
	const path = isOnHost(named) ? undefined : folderOf(named);
	if (path === undefined) return withoutEndingSlashes(named);
	const resolved = resolvePath(undefined, path);
	return drivePath.test(resolved) ? resolved.charAt(0).toLowerCase() + resolved.slice(1) : resolved;
}

/** Whether a URI names a place on another host, which the path alone does not tell from one here. */
function isOnHost(uri: string): boolean {
	return fileScheme.test(uri) && !/^file:\/\/(?:localhost)?\//i.test(uri);
}

function withoutEndingSlashes(uri: string): string {
	let end = uri.length;
	while (uri.charAt(end - 1) === '/') end--;
	return uri.slice(0, end);
}
