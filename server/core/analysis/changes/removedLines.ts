/** Finds lines that are no longer in any file. In a summary, they would look like present code. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { findFileAccess, listEditedPaths } from '../../files/findTouches.ts';
import type { FileTouch } from '../../files/touches/lineRange.ts';
import type { ShellFileChange } from '../../files/touches/shell/fileChanges.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { isFields } from '../../shape.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { type AnalysisCache, getFileAccess } from '../message/analyses.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import { type BlockKeys, collectLineKeys, computeLineKey, type LineKeys } from '../message/lineKeys.ts';
import { listAppliedFiles } from '../message/programReports.ts';
import type { Source } from '../message/source.ts';
import { findOutdatedRows } from '../records/outdatedRows.ts';
import { findShellCommand, hasShellCommand } from '../shell/commands.ts';
import { countNumberedLines } from '../text/lineNumbers.ts';
import { readGitChanges } from './commitReports.ts';
import { findEditedRows, listMemberKeys, type ReadRow } from './editedRows.ts';
import type { CallAnalyses } from './fileCalls.ts';
import { FileLines, unknownPath } from './fileLines.ts';
import { findSucceededPart } from './succeededPart.ts';

/** The lines that a session's files lost, and rows of JSON results that later results replaced. */
export interface RemovedLines {
	/** A note for each result with objects that a later result changed. */
	changeNotes: ReadonlyMap<Source, string>;
	/** Whether the file `path` lost a line; without a path, or if that file never had the line, whether any file lost it. */
	has(line: string, path?: string): boolean;
}

/** A command of git after which files may have other lines, until another command brings these back. */
const branchPattern = /\bgit (?:-C \S{1,200} )?(?:checkout|switch|stash|bisect|reset|rebase|merge|revert)\b/;

/** Returns the lines that edits, commands or git removed from files. Ignores failed and undone calls. Runs in slices. */
export function* collectRemovedLines(
	sources: readonly Source[],
	{ outcomes, undone, cache }: Omit<CallAnalyses, 'fileCalls'>,
): SlicedTask<RemovedLines> {
	const files = new FileLines();
	const readRows: ReadRow[] = [];
	/** Whether git may have put other lines into files, so that those that are missing now may come back. */
	let hasChangedBranch = false;
	const addSource = (source: Source, index: number): void => {
		const outcome = outcomes.byResult.get(source);
		if (source.failed || undone.has(outcome?.caller ?? source)) return;
		const keys = getOrInsert(cache.lineKeys, source, collectLineKeys);
		const report = sources[index + 1];
		const editedPaths = source.role === 'assistant' && report ? listAppliedFiles(report) : [];
		// Agents also quote code that they are about to change, or have changed.
		const isProse = source.role === 'assistant' && editedPaths.length === 0;
		const path = isProse
			? undefined
			: recordText(files, { source, keys, call: outcome?.reader, canBeWhole: !hasChangedBranch }, cache);
		if (path !== undefined)
			for (const row of source.rows ?? []) {
				files.addShownLines(path, listMemberKeys(row));
				readRows.push({ path, row });
			}
		applyBlocks(
			files,
			keys.blocks.filter((block) => editedPaths.includes(block.path)),
		);
		for (const call of source.calls) {
			const end = outcomes.byCall.get(call);
			hasChangedBranch ||= branchPattern.test(findShellCommand(call) ?? '');
			if (outcomes.failedCalls.has(call)) applySucceededPart(files, call, end);
			else applyCall(files, { call, outcome: end }, keys, cache);
		}
	};
	yield* forEachInSlices(sources, addSource, workLimits.messagesPerSlice);
	const removedKeys = files.listRemovedKeys();
	yield;
	const editedRows = findEditedRows(readRows, files);
	const outdated = findOutdatedRows(outcomes);
	return {
		changeNotes: outdated.notes,
		has(line, path) {
			if (outdated.lines.has(line)) return true;
			if (!files.haveLostLines() && editedRows.size === 0) return false;
			if (path !== undefined && editedRows.get(path)?.has(line)) return true;
			const key = computeLineKey(line);
			const isPresent = path === undefined ? undefined : files.isPresent(path, key);
			return isPresent === undefined ? removedKeys.has(key) : !isPresent;
		},
	};
}

/** Applies the blocks of edited files. A line that one block moves to another block is present. */
function applyBlocks(files: FileLines, blocks: readonly BlockKeys[], texts: readonly string[] = []): void {
	for (const block of blocks) files.applyEdit(block.path, { ...block, liveKeys: [] }, []);
	for (const { path, liveKeys } of blocks) files.applyEdit(path, { removedKeys: [], liveKeys }, texts);
}

/** A source with the keys of its lines. */
interface ReadText {
	source: Source;
	keys: LineKeys;
	/** The call whose result the source is. */
	call: ToolCall | undefined;
	/** Whether a file lost the lines that a result with the whole file lacks. */
	canBeWhole: boolean;
}

/** A file with the output of a command, whose lines are those of other files. */
const storedOutputPattern = /[/\\]tool-results[/\\]|\.(?:diff|patch|output)$/i;

/** Records the lines that a source shows. Returns the file if the source is the result of reading one file. */
function recordText(
	files: FileLines,
	{ source, keys: { text }, call, canBeWhole }: ReadText,
	cache: AnalysisCache,
): string | undefined {
	const touches = call ? getFileAccess(cache, call).touches : [];
	const [touch] = touches;
	// The result of an edit also repeats the lines that it removed.
	if (call && touch?.kind === 'edit' && !hasShellCommand(call)) return undefined;
	const isOfFile = touches.length === 1 && touch?.kind === 'read' && !storedOutputPattern.test(touch.path);
	const path = isOfFile ? touch.path : undefined;
	if (path === undefined) files.addShownLines(unknownPath, text);
	else if (call && touch && canBeWhole && showsWholeFile(call, touch, source.text))
		files.showWholeFile(path, text, source.text);
	else files.addShownLines(path, text, source.text);
	return path;
}

/** Number of lines that agents show at most of a file unless a call asks for more. */
const defaultLineLimit = 2000;
/** A note at the end of a result that does not show the whole file, and the maximum length of such a note. UTF-16 units. */
const cutPattern = /\b(?:truncated|omitted|more lines|not shown|offset)\b|…|\.\.\.\s*$/i;
const maxNoteLength = 300;
/** Arguments of a call that reads a file. Others may limit what it shows. */
const readArgumentPattern =
	/^(?:(?:absolute|file|target)?_?path|target_file|offset|limit|description|explanation)$/i;

/** Whether the result of a call, with line numbers, shows a file from its first to its last line. */
function showsWholeFile(
	call: ToolCall,
	{ from = 1, to = defaultLineLimit, lastLines }: FileTouch,
	text: string,
): boolean {
	const isLimited =
		!isFields(call.args) || Object.keys(call.args).some((name) => !readArgumentPattern.test(name));
	if (from !== 1 || lastLines !== undefined || isLimited || cutPattern.test(text.slice(-maxNoteLength)))
		return false;
	const count = countNumberedLines(text);
	return count > 0 && count < Math.min(to, defaultLineLimit);
}

/** Applies the changes of a failed script before the check that failed. */
function applySucceededPart(files: FileLines, call: ToolCall, outcome: CallOutcome | undefined): void {
	const part = findSucceededPart(call, outcome);
	if (part === undefined) return;
	const { removedPaths, changes } = findFileAccess(part);
	for (const change of changes) if (change.type === 'rewritten') files.applyChange(change);
	applyChanges(files, removedPaths, changes);
}

function applyCall(
	files: FileLines,
	{ call, outcome }: { call: ToolCall; outcome: CallOutcome | undefined },
	{ calls }: LineKeys,
	cache: AnalysisCache,
): void {
	const access = getFileAccess(cache, call);
	const { removedPaths, changes } = access;
	const keys = calls.find((one) => one.call === call);
	// The new text of a rewritten file may be among the call's own lines.
	for (const change of changes) if (change.type === 'rewritten') files.applyChange(change);
	if (keys) {
		const texts = listArgumentTexts(call);
		applyBlocks(files, keys.blocks, texts);
		const editedPaths = listEditedPaths(access);
		const [path] = editedPaths;
		if (path !== undefined && editedPaths.length === 1) files.applyEdit(path, keys, texts);
		else files.applyEditToFiles(editedPaths, keys);
	}
	applyChanges(files, removedPaths, readGitChanges(changes, outcome));
}

/** Applies removals, moves, replacements and git commands, in this order. */
function applyChanges(files: FileLines, gone: readonly string[], changes: readonly ShellFileChange[]): void {
	const isMoved = (path: string): boolean =>
		changes.some((change) => change.type === 'moved' && change.path === path);
	for (const one of gone) if (!isMoved(one)) files.removePath(one);
	for (const change of changes) if (change.type !== 'rewritten') files.applyChange(change);
}

function listArgumentTexts({ args }: ToolCall): string[] {
	if (!isFields(args)) return [];
	return Object.values(args).filter((value): value is string => typeof value === 'string');
}
