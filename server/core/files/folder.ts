/** Folders as URIs. */

/** The `file:` URI of an absolute path with forward slashes; half a surrogate pair becomes U+FFFD. */
export function uriOfPath(path: string): string {
	const steps = path
		.toWellFormed()
		.split('/')
		.map((step) => encodeURIComponent(step).replaceAll('%3A', ':'));
	return `file://${path.startsWith('/') ? '' : '/'}${steps.join('/')}`;
}

/** The path of a `file:` URI; undefined for any other, and for none. */
export function folderOf(uri: string | undefined): string | undefined {
	if (uri === undefined) return undefined;
	if (!uri.startsWith('file://')) return uri.startsWith('/') ? uri : undefined;
	try {
		const path = decodeURIComponent(new URL(uri).pathname);
		return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
	} catch {
		return undefined;
	}
}
