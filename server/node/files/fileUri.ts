import { fileURLToPath } from 'node:url';
import { errorText, Failure } from '../../core/failure.ts';

const schemePattern = /^([a-z][a-z0-9+.-]+):/i;

/**
 * Converts a `file:` URI to a path, and returns a path unchanged.
 *
 * Decodes percent codes, including an encoded drive colon (`file:///c%3A/…`). Throws `FileUnreadable` for another scheme, a
 * host that this platform cannot reach, an encoded slash, or a NUL.
 * @param isWindows whether Windows' rules apply; by default this platform's
 */
export function uriToPath(uri: string, isWindows = process.platform === 'win32'): string {
	const path = /^file:/i.test(uri) ? decodeFileUri(uri, isWindows) : requirePath(uri);
	if (path === '') throw new Failure('FileUnreadable', 'The name of the file is empty.', { uri });
	if (!path.includes('\0')) return path;
	throw new Failure('FileUnreadable', `A file name cannot contain a NUL character: ${JSON.stringify(uri)}`, {
		uri,
	});
}

/** Returns a path, after refusing URIs with a scheme. A scheme has at least two letters, so `c:\…` is a path. */
function requirePath(uri: string): string {
	const scheme = schemePattern.exec(uri)?.[1];
	if (scheme === undefined || !uri.startsWith('//', scheme.length + 1)) return uri;
	throw new Failure('FileUnreadable', `Expected a file: URI or a path, got the scheme "${scheme}": ${uri}`, {
		uri,
	});
}

function decodeFileUri(uri: string, isWindows: boolean): string {
	try {
		return fileURLToPath(uri, { windows: isWindows });
	} catch (error) {
		const reason = errorText(error);
		throw new Failure('FileUnreadable', `Not a usable file URI: ${uri}: ${reason}`, { uri }, error);
	}
}
