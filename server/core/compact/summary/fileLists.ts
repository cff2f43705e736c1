/** Lists the files of a session in three lines: changed, removed and only read files. */

import { type CallAnalyses, listCurrentFiles } from '../../analysis/filesTouched.ts';
import { quoteLine } from '../../analysis/quote.ts';
import type { Source } from '../../analysis/source.ts';

/** Minimum number of files for which naming their folder once saves text. */
const minFilesInFolder = 2;

/** Returns the folder, with a final slash, that saves the most text if named once; empty if none saves text. */
function findSharedFolder(paths: readonly string[]): string {
	const files = new Map<string, number>();
	for (const path of paths) {
		if (!/^(?:[A-Za-z]:)?\//.test(path)) continue;
		for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
			const folder = path.slice(0, end + 1);
			files.set(folder, (files.get(folder) ?? 0) + 1);
		}
	}
	const saved = (folder: string): number => folder.length * ((files.get(folder) ?? 0) - 1);
	const most = [...files.keys()].reduce((best, folder) => (saved(folder) > saved(best) ? folder : best), '');
	return (files.get(most) ?? 0) < minFilesInFolder ? '' : most;
}

/** Returns one line each for changed, removed and only read files, newest first, within `tokens` tokens. */
export function renderFileLists(
	sources: readonly Source[],
	tokens: number,
	count: (text: string) => number,
	known: CallAnalyses,
): string[] {
	const { changed, removed, read } = listCurrentFiles(sources, known);
	const folder = findSharedFolder([...changed, ...removed, ...read].map(({ path }) => path));
	let left = tokens;
	let inFolder = folder === '' ? '' : ` in ${quoteLine(folder)}`;
	const nameOf = (path: string): string =>
		quoteLine(path.startsWith(folder) ? path.slice(folder.length) : path);
	const list = (what: string, files: readonly { path: string }[], reserved = 0): string[] => {
		const named: string[] = [];
		let budget = left - reserved - count(inFolder);
		for (const { path } of files.toReversed()) {
			const name = nameOf(path);
			const cost = count(name) + 1;
			if (cost > budget) break;
			budget -= cost;
			named.push(name);
		}
		if (named.length === 0) return [];
		left = budget + reserved;
		const more = named.length < files.length ? `, … (${files.length} in all)` : '';
		const line = `- ${what}${inFolder}: ${named.join(', ')}${more}`;
		// The folder is named only once; later lines say "there".
		inFolder = folder === '' ? '' : ' there';
		return [line];
	};
	// Reserve tokens for removed files: if they were not listed, they would seem to exist.
	const ofRemoved = removed.reduce((sum, { path }) => sum + count(nameOf(path)) + 1, count(' there'));
	return [
		...list('changed', changed, Math.min(left / 2, ofRemoved)),
		...list('removed', removed),
		...list('read', read),
	];
}
