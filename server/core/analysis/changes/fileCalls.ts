/** The calls that read or changed files, and the files, as plain values. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import type { FileAccess } from '../../files/findTouches.ts';
import type { TouchedRange } from '../../files/touches/lineRange.ts';
import { affectsFiles } from '../../files/touches/shell/fileChanges.ts';
import type { AnalysisCache } from '../message/analyses.ts';
import type { CallOutcome, Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';

/** A file, and its lines that were read or changed. */
export interface TouchedFile {
	path: string;
	/** Lines from 1, inclusive, with adjacent ranges merged; empty for the whole file or unknown lines. */
	ranges: TouchedRange[];
	/** Ordinal of the last message that touched the file. */
	seq: number;
	/** Removed files only: the path to which the file was moved. */
	movedTo?: string;
}

/** Touched files. Each is in only one list: a change takes precedence over a read, and a removal over both. */
export interface TouchedFiles {
	read: TouchedFile[];
	changed: TouchedFile[];
	/** Files and folders that were removed and not created again later. */
	removed: TouchedFile[];
	/** Ordinal of the message with the newest commit; -1 if there is none. */
	lastCommitSeq: number;
	/** Paths of changed files with changes that no commit includes. */
	uncommittedPaths: ReadonlySet<string>;
	/** Paths of files whose changes the newest `git stash` put aside, and the ordinal of its message; absent if there are none. */
	stash?: { paths: readonly string[]; seq: number };
}

/** Returns the paths of all files. */
export function listPaths({ read, changed, removed }: TouchedFiles): string[] {
	return [...read, ...changed, ...removed].map(({ path }) => path);
}

/** Returns a function that tells whether a file is removed, alone or with a folder that contains it. */
export function createRemovalTest({ removed }: Pick<TouchedFiles, 'removed'>): (path: string) => boolean {
	const paths = new Set(removed.map(({ path }) => path));
	return (path) => {
		for (let end = path.length; end > 0 && paths.size > 0; end = path.lastIndexOf('/', end - 1))
			if (paths.has(path.slice(0, end))) return true;
		return false;
	};
}

/** A call that read or changed files. */
export interface FileCall {
	call: ToolCall;
	caller: Source;
	outcome?: CallOutcome;
	access: FileAccess;
}

/** Whether a call edited, removed or otherwise changed files. */
export function changesFiles({
	access: { touches, removedPaths, changes },
}: Pick<FileCall, 'access'>): boolean {
	return removedPaths.length > 0 || changes.some(affectsFiles) || touches.some(({ kind }) => kind === 'edit');
}

/** Analyses of a session's calls. */
export interface CallAnalyses {
	outcomes: Outcomes;
	/** Messages whose work was undone, each with the message that undid it. */
	undone: ReadonlyMap<Source, Source>;
	/** The calls that read or changed files, in order. */
	fileCalls: readonly FileCall[];
	cache: AnalysisCache;
}
