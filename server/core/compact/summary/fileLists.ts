/** Lists the files of a session: changed files, removed files, files that were only read, and the names that changes defined. */

import { createDefinitionFinder, testOrDocumentPattern } from '../../analysis/changes/definitions.ts';
import type { CallAnalyses, TouchedFile, TouchedFiles } from '../../analysis/changes/fileCalls.ts';
import { listCurrentFiles, selectLasting } from '../../analysis/changes/filesTouched.ts';
import type { NamedFile } from '../../analysis/changes/namedDefinitions.ts';
import { createReappearanceTest } from '../../analysis/changes/reappearedFiles.ts';
import type { RemovedLines } from '../../analysis/changes/removedLines.ts';
import type { Source } from '../../analysis/message/source.ts';
import { quoteLine } from '../../analysis/text/quote.ts';
import { getFileName, isTemporary, mayBeSamePath } from '../../files/paths.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { shortenFilePath } from './summaryHead.ts';

/** Minimum number of files for which naming their folder once saves text. */
const minFilesInFolder = 2;

/** Maximum number of names that are listed of a file. */
const maxNames = 8;

/** A path that does not depend on the folder of its command: one with a drive or scheme, a root, or a variable. */
const rootedPattern = /^(?:[\w+.-]+:|[\\/~$%])/;

/**
 * Returns the folder, with a final slash, that saves the most text if named once; empty if none saves text, or if
 * relative paths name at least as many files as the folder has: they would look like files in the folder.
 */
function findSharedFolder(paths: readonly string[]): string {
	const files = new Map<string, number>();
	let relativeCount = 0;
	for (const path of paths) {
		if (!rootedPattern.test(path)) relativeCount++;
		if (!/^(?:[A-Za-z]:)?\//.test(path)) continue;
		for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
			const folder = path.slice(0, end + 1);
			files.set(folder, (files.get(folder) ?? 0) + 1);
		}
	}
	const countSaved = (folder: string): number => folder.length * ((files.get(folder) ?? 0) - 1);
	const root = [...files.keys()].reduce(
		(best, folder) => (countSaved(folder) > countSaved(best) ? folder : best),
		'',
	);
	return (files.get(root) ?? 0) < Math.max(minFilesInFolder, relativeCount + 1) ? '' : root;
}

/** Returns a test whether a file is in a list, which may name it by a longer or shorter path. */
function createPathTest(files: readonly { path: string }[]): (file: { path: string }) => boolean {
	const byName = new Map<string, string[]>();
	for (const { path } of files) getOrInsert(byName, getFileName(path), () => []).push(path);
	return ({ path }) => (byName.get(getFileName(path)) ?? []).some((one) => mayBeSamePath(one, path));
}

/** Returns files with the temporary ones first, which are then listed last. */
function putTemporaryFirst(files: readonly TouchedFile[]): readonly TouchedFile[] {
	const lasting = new Set(selectLasting(files));
	return [...files.filter((file) => !lasting.has(file)), ...lasting];
}

/** Returns files without the temporary ones; all files if there are no others. A log outside of temporary folders may be data. */
function omitTemporary(files: readonly TouchedFile[]): readonly TouchedFile[] {
	const lasting = new Set(selectLasting(files));
	return files.filter((file) => lasting.has(file) || !isTemporary(file.path));
}

/**
 * Returns one line each for changed, removed and only read files, newest first, within `tokens` tokens. Leaves out changes
 * that messages after `sources` took back, files that they removed or changed after only reading them, and temporary files
 * that were only read, if others were.
 */
export function renderFileLists(
	sources: readonly Source[],
	tokens: number,
	count: (text: string) => number,
	analyses: CallAnalyses & { filesAtEnd: TouchedFiles },
): string[] {
	const listed = listCurrentFiles(sources, analyses);
	const { filesAtEnd } = analyses;
	const isChangedAtEnd = createPathTest(filesAtEnd.changed);
	const isThereAtEnd = createPathTest([...filesAtEnd.changed, ...filesAtEnd.read]);
	const changed = putTemporaryFirst(listed.changed.filter(isChangedAtEnd));
	const reappeared = createReappearanceTest(analyses);
	const gone = listed.removed.filter((file) => !isThereAtEnd(file) && !reappeared(file));
	const removed = putTemporaryFirst(gone);
	const read = omitTemporary(listed.read.filter((file) => isThereAtEnd(file) && !isChangedAtEnd(file)));
	const folder = findSharedFolder(selectLasting([...changed, ...removed, ...read]).map(({ path }) => path));
	let remainingTokens = tokens;
	let inFolder = folder === '' ? '' : ` in ${quoteLine(folder)}`;
	// Without `…/`, a relative path next to the folder would look like a path in the folder.
	const nameOf = (path: string): string => {
		if (path.startsWith(folder)) return quoteLine(path.slice(folder.length));
		return quoteLine(rootedPattern.test(path) ? path : `…/${path}`);
	};
	const render = ({ path, movedTo }: TouchedFile): string =>
		movedTo === undefined ? nameOf(path) : `${nameOf(path)} (moved to ${nameOf(movedTo)})`;
	const list = (label: string, files: readonly TouchedFile[], reserved = 0): string[] => {
		const names: string[] = [];
		let isInFolder = false;
		let budget = remainingTokens - reserved - count(inFolder);
		for (const file of files.toReversed()) {
			const name = render(file);
			const cost = count(name) + 1;
			// A note on one more file would be as long as its name.
			const isLast = names.length === files.length - 1;
			if (cost > budget + (isLast && names.length > 0 ? count(`, … (${files.length} in all)`) : 0)) break;
			budget -= cost;
			names.push(name);
			isInFolder ||= file.path.startsWith(folder);
		}
		if (names.length === 0) return [];
		remainingTokens = budget + reserved;
		const more = names.length < files.length ? `, … (${files.length} in all)` : '';
		const line = `- ${label}${isInFolder ? inFolder : ''}: ${names.join(', ')}${more}`;
		// The folder is named only once; later lines say "there".
		if (isInFolder && folder !== '') inFolder = ' there';
		return [line];
	};
	// Reserve tokens for removed files: if they were not listed, they would seem to exist.
	const removedTokens = removed.reduce((sum, file) => sum + count(render(file)) + 1, count(' there'));
	return [
		...list('changed', changed, Math.min(remainingTokens / 2, removedTokens)),
		...list('removed', removed),
		...list('read', read),
	];
}

/**
 * Returns a line with the names that are defined in files, within `tokens` tokens: those of `named`, then those that these
 * messages defined in changed files, newest files first: `- defined in src/sum.ts: addAll (line 12); in rows.ts: readRows`.
 */
export function renderDefinedNames(
	sources: readonly Source[],
	{ tokens, count, named }: { tokens: number; count: (text: string) => number; named: readonly NamedFile[] },
	analyses: CallAnalyses & { filesAtEnd: TouchedFiles; removed: RemovedLines },
): string[] {
	const summarized = new Set(sources);
	const fileCalls = analyses.fileCalls.filter(({ caller }) => summarized.has(caller));
	const listNames = createDefinitionFinder({ ...analyses, fileCalls }, analyses.removed);
	const namedPaths = named.map(({ path }) => path);
	const known = new Set(named.flatMap(({ definitions }) => definitions.map(({ name }) => name)));
	function* renderFiles(): Generator<string> {
		for (const { path, definitions } of named) {
			const names = definitions.map(({ name, line }) => quoteLine(line ? `${name} (line ${line})` : name));
			yield `in ${quoteLine(shortenFilePath(path, namedPaths))}: ${names.join(', ')}`;
		}
		for (const { path } of selectLasting(analyses.filesAtEnd.changed).toReversed()) {
			const file = getFileName(path);
			const all = testOrDocumentPattern.test(file) ? [] : listNames(path);
			const names = all.filter((name) => !known.has(name));
			const more = names.length > maxNames ? ', …' : '';
			if (names.length > 0)
				yield `in ${quoteLine(file)}: ${names.slice(0, maxNames).map(quoteLine).join(', ')}${more}`;
		}
	}
	const parts: string[] = [];
	let budget = tokens - count('- defined ');
	for (const part of renderFiles()) {
		budget -= count(part) + 1;
		if (budget < 0) break;
		parts.push(part);
	}
	return parts.length === 0 ? [] : [`- defined ${parts.join('; ')}`];
}
