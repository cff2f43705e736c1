const patchHeaders = ['*** Update File: ', '*** Add File: ', '*** Delete File: ', '*** Move to: '] as const;

/** Returns the files that no longer exist after an `apply_patch` patch: deleted or moved. */
export function findPathsRemovedByPatch(text: string): string[] {
	if (!text.includes('*** Begin Patch')) return [];
	const removed: string[] = [];
	let updated = '';
	for (const line of text.split('\n')) {
		if (!line.startsWith('*** ')) continue;
		const [, action = '', path = ''] =
			/^\*\*\* (Update File|Delete File|Move to): (.*)$/.exec(line.trimEnd()) ?? [];
		if (action === 'Delete File') removed.push(path.trim());
		if (action === 'Move to' && updated !== '') removed.push(updated);
		updated = action === 'Update File' ? path.trim() : '';
	}
	return removed;
}

/** Returns the files that an `apply_patch` patch names, in order, as written. Empty for any other text. */
export function findPatchedPaths(text: string): string[] {
	if (!text.includes('*** Begin Patch')) return [];
	const paths: string[] = [];
	for (const line of text.split('\n')) {
		if (!line.startsWith('*** ')) continue;
		const header = patchHeaders.find((start) => line.startsWith(start));
		const path = header === undefined ? '' : line.slice(header.length).trim();
		if (path !== '') paths.push(path);
	}
	return paths;
}
