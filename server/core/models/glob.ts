import { getOrInsert } from '../getOrInsert.ts';

/** Whether a pattern with `*` and `?` matches a whole name, ignoring case. O(pattern × text). */
export function matchesGlob(pattern: string, text: string): boolean {
	const glob = pattern.toLowerCase();
	const name = text.toLowerCase();
	let globIndex = 0;
	let starIndex = -1;
	let retryIndex = 0;
	let nameIndex = 0;
	while (nameIndex < name.length) {
		if (globIndex < glob.length && glob[globIndex] === '*') {
			starIndex = globIndex++;
			retryIndex = nameIndex;
		} else if (globIndex < glob.length && (glob[globIndex] === '?' || glob[globIndex] === name[nameIndex])) {
			globIndex++;
			nameIndex++;
		} else if (starIndex >= 0) {
			globIndex = starIndex + 1;
			nameIndex = ++retryIndex;
		} else return false;
	}
	while (glob[globIndex] === '*') globIndex++;
	return globIndex === glob.length;
}

/** Returns a function that matches tool names with globs. Caches the results, because the same few names repeat. */
export function createToolMatcher(globs: readonly string[]): (tool: string) => boolean {
	const resultByTool = new Map<string, boolean>();
	return (tool) => getOrInsert(resultByTool, tool, () => globs.some((glob) => matchesGlob(glob, tool)));
}
