/** The files that an `apply_patch` patch names. */
interface PatchedPaths {
	/** All files, in order, as written. */
	paths: string[];
	/** The files that no longer exist after the patch: deleted or moved, and not added again. */
	removedPaths: string[];
}

/** Returns the files that an `apply_patch` patch names; none for any other text. */
export function findPatchedPaths(text: string): PatchedPaths {
	const paths: string[] = [];
	const removedPaths = new Set<string>();
	if (!text.includes('*** Begin Patch')) return { paths, removedPaths: [] };
	let updatedPath = '';
	for (const line of text.split('\n')) {
		if (!line.startsWith('*** ')) continue;
		const [, action = '', rest = ''] =
			/^\*\*\* (Update File|Add File|Delete File|Move to): (.*)$/.exec(line.trimEnd()) ?? [];
		const path = rest.trim();
		if (path !== '') paths.push(path);
		if (action === 'Delete File') removedPaths.add(path);
		else removedPaths.delete(path);
		if (action === 'Move to' && updatedPath !== '') removedPaths.add(updatedPath);
		updatedPath = action === 'Update File' ? path : '';
	}
	return { paths, removedPaths: [...removedPaths] };
}

/** The start of a file's part in an `apply_patch` patch. */
export interface PatchedFile {
	/** Index of the line that names the file. UTF-16 units. */
	from: number;
	path: string;
}

/** Returns where the parts of the files begin in an `apply_patch` patch, in order; empty for any other text. Linear. */
export function listPatchedFiles(text: string): PatchedFile[] {
	if (!text.includes('*** Begin Patch')) return [];
	const files = text.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.*)$/gm);
	return [...files].map(({ index, 1: path = '' }) => ({ from: index, path: path.trim() }));
}
