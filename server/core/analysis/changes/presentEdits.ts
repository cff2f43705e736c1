/** Finds the newest edit of each changed file that left lines in the file. */

import { getFileName, isAgentNote, mayBeSamePath } from '../../files/paths.ts';
import type { FileTouch } from '../../files/touches/lineRange.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { listWrittenLines } from '../calls/changedLines.ts';
import type { Source } from '../message/source.ts';
import { hasShellCommand } from '../shell/commands.ts';
import { cleanText } from '../text/clean.ts';
import { importPattern, testOrDocumentPattern } from './definitions.ts';
import type { CallAnalyses, FileCall, TouchedFiles } from './fileCalls.ts';
import { selectLasting } from './filesTouched.ts';
import type { RemovedLines } from './removedLines.ts';

/** An edit of a file, and the lines that it wrote and that the file still has, without imports. */
export interface PresentEdit extends Pick<FileCall, 'caller' | 'call'> {
	path: string;
	/** The lines, with `…` between groups of lines that are not adjacent. */
	lines: string[];
	/** Whether no later call edits a file. */
	isNewest: boolean;
}

/** Maximum number of files whose edits are listed. */
const maxFiles = 12;

/** A line with a single word or none, which says nothing alone. */
const singleWordPattern = /^[\w.,;:]*$/;

const isEdit = ({ kind }: FileTouch): boolean => kind === 'edit';

/**
 * Returns the newest successful edit of each changed file, of some files: first the newest of all, then those of code, then
 * those of tests and documents. Omits files whose newest edit is in a message of `visible`. O(calls and their lines).
 */
export function listPresentEdits(
	analyses: Pick<CallAnalyses, 'fileCalls' | 'undone'> & { filesAtEnd: TouchedFiles; removed: RemovedLines },
	visible: ReadonlySet<Source>,
): PresentEdit[] {
	const edits = listEdits(analyses);
	const isValid = createTest(analyses.filesAtEnd);
	const newestSeq = analyses.fileCalls.findLast(({ access }) => access.touches.some(isEdit))?.caller.seq;
	const newest = edits.find(isValid);
	const order = [0, 1, 2].flatMap((rank) => edits.filter((edit) => edit !== newest && edit.rank === rank));
	const presentEdits: PresentEdit[] = [];
	const shownPaths: string[] = [];
	for (const edit of newest ? [newest, ...order] : []) {
		const { caller, call, path } = edit;
		if (presentEdits.length === maxFiles) break;
		if (shownPaths.some((one) => mayBeSamePath(one, path)) || !isValid(edit)) continue;
		const lines = visible.has(caller) ? [] : listPresentLines(call, path, analyses.removed);
		if (lines.length > 0)
			presentEdits.push({ caller, call, path, lines, isNewest: caller.seq === newestSeq });
		if (lines.length > 0 || visible.has(caller)) shownPaths.push(path);
	}
	return presentEdits;
}

/** An edit of one file, with the rank of the file: 0 for code, 1 for a test or a document, 2 for a note of the agent. */
interface RankedEdit extends Pick<FileCall, 'caller' | 'call'> {
	path: string;
	rank: number;
}

/** Returns the successful calls that edit one file, newest first. */
function listEdits({ fileCalls, undone }: Pick<CallAnalyses, 'fileCalls' | 'undone'>): RankedEdit[] {
	return fileCalls
		.flatMap(({ call, caller, outcome, access }) => {
			const [touch, ...others] = access.touches.filter(isEdit);
			if (touch === undefined || others.length > 0 || outcome?.failed !== false || undone.has(caller))
				return [];
			const { path } = touch;
			const rank = isAgentNote(path) ? 2 : testOrDocumentPattern.test(path) ? 1 : 0;
			return [{ call, caller, path, rank }];
		})
		.reverse();
}

/**
 * Returns a function that tells whether an edit shows the text of its file, and git has not taken it back. It takes long, so it
 * is asked only until enough files are found.
 */
function createTest(filesAtEnd: TouchedFiles): (edit: RankedEdit) => boolean {
	const changed = selectLasting(filesAtEnd.changed);
	const known = new Map<string, boolean>();
	return ({ call, caller, path }) =>
		!(hasShellCommand(call) && listWrittenLines(call).length === 0) &&
		(getOrInsert(known, path, () => changed.some((file) => mayBeSamePath(file.path, path))) ||
			// Its folder was moved.
			changed.some(({ path: one, seq }) => seq === caller.seq && getFileName(one) === getFileName(path)));
}

/** Returns the lines that an edit wrote and its file still has; empty if they are only single words. */
function listPresentLines(call: FileCall['call'], path: string, removed: RemovedLines): string[] {
	const isPresent = (line: string): boolean =>
		line !== '' && !importPattern.test(line) && !removed.has(line, path);
	const lines = listWrittenLines(call)
		.map((group) => cleanText(group.join('\n')).split('\n').filter(isPresent))
		.filter((group) => group.length > 0)
		.flatMap((group, index) => (index === 0 ? group : ['…', ...group]));
	return lines.every((line) => line === '…' || singleWordPattern.test(line)) ? [] : lines;
}
