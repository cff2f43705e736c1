import { getOrInsert } from '../getOrInsert.ts';

/** Whether a pattern with `*` and `?` matches a whole name, ignoring case. O(pattern × text). */
export function matchesGlob(pattern: string, text: string): boolean {
	const glob = pattern.toLowerCase();
	const name = text.toLowerCase();
	let index = 0;
	let starIndex = -1;
	let retry = 0;
	let i = 0;
	while (i < name.length) {
		if (index < glob.length && glob[index] === '*') {
			starIndex = index++;
			retry = i;
		} else if (index < glob.length && (glob[index] === '?' || glob[index] === name[i])) {
			index++;
			i++;
		} else if (starIndex >= 0) {
			index = starIndex + 1;
			i = ++retry;
		} else return false;
	}
	while (glob[index] === '*') index++;
	return index === glob.length;
}

/** Returns a function that matches tool names with globs. Caches the results, because the same few names repeat. */
export function createToolMatcher(globs: readonly string[]): (tool: string) => boolean {
	const resultByTool = new Map<string, boolean>();
	return (tool) => getOrInsert(resultByTool, tool, () => globs.some((glob) => matchesGlob(glob, tool)));
}
