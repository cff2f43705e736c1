/** Compares paths, which calls name absolutely or relative to any folder. */

/** Returns the last part of a path. */
export function getFileName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether two paths may name the same file or folder: one may be the end of the other. */
export function mayBeSamePath(one: string, other: string): boolean {
	return `/${one}`.endsWith(`/${other}`) || `/${other}`.endsWith(`/${one}`);
}
