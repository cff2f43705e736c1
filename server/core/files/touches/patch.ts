/** The first line of an `apply_patch` patch. */
export const patchStart = '*** Begin Patch';

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
	if (!text.includes(patchStart)) return { paths, removedPaths: [] };
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

/** A file's part in an `apply_patch` patch. */
export interface PatchedFile {
	/** Index of the line that names the file. UTF-16 units. */
	from: number;
	/** Index of the end of the part. UTF-16 units. */
	to: number;
	/** The file's path, after the patch if the patch moves the file. */
	path: string;
	/** Whether the patch contains the whole file. */
	isNew: boolean;
	/** Whether the patch deletes the file here. */
	isDeleted: boolean;
}

/** Returns the parts of the files in an `apply_patch` patch, in order; empty for any other text. Linear. */
export function listPatchedFiles(text: string): PatchedFile[] {
	if (!text.includes(patchStart)) return [];
	const pattern = /^\*\*\* (Update|Add|Delete) File: (.*)(?:\r?\n\*\*\* Move to: (.*))?$/gm;
	const files = [...text.matchAll(pattern)];
	return files.map(({ index, 1: action, 2: path = '', 3: newPath = path }, position) => ({
		from: index,
		to: files[position + 1]?.index ?? text.length,
		path: newPath.trim(),
		isNew: action === 'Add',
		isDeleted: action === 'Delete',
	}));
}
