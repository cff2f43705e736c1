import type { ToolCall } from '../../../protocol/conversation.ts';
import { type FileAccess, findFileAccess, listEditedPaths } from '../../files/findTouches.ts';
import { GitState } from '../../files/gitState.ts';
import { expandHome } from '../../files/homeFolder.ts';
import { isGenerated, isTemporary, mayContain } from '../../files/paths.ts';
import { mergeRanges } from '../../files/touches/lineRange.ts';
import { patchStart } from '../../files/touches/patch.ts';
import type { ShellFileChange } from '../../files/touches/shell/fileChanges.ts';
import { listOpenCalls } from '../calls/outcomes.ts';
import { type AnalysisCache, getFileAccess } from '../message/analyses.ts';
import type { CallOutcome, Outcomes } from '../message/callOutcome.ts';
import { findReportedCommit, listAppliedFiles } from '../message/programReports.ts';
import { listArguments, oldSideNamePattern, type Source } from '../message/source.ts';
import { findShellCommand, hasShellCommand, hidesErrors, isSingleFileCommand } from '../shell/commands.ts';
import { listCancelledFiles } from './cancelledEdits.ts';
import { isTrial, readGitChanges } from './commitReports.ts';
import type { CallAnalyses, FileCall, TouchedFile, TouchedFiles } from './fileCalls.ts';
import { findSucceededPart, mayHaveWritten } from './succeededPart.ts';
import { createSettledTest } from './uncommittedFiles.ts';
import { isUndoOfEdit } from './undoneEdits.ts';

/** Maximum length of a path in any system (`PATH_MAX` of Linux). UTF-16 units. */
const maxPathLength = 4096;
/** Maximum number of messages with calls whose files are listed, counted from the newest message. */
const maxTouchingMessages = 4000;

/**
 * Returns the calls that read or changed files, in order, judged by their outcomes. Leaves out calls of the newest message
 * without a result, unless the session records no results.
 */
export function collectFileCalls(
	sources: readonly Source[],
	outcomes: Outcomes,
	cache: AnalysisCache,
): FileCall[] {
	const { byCall } = outcomes;
	const openCalls = new Set(byCall.size > 0 ? listOpenCalls(sources, outcomes) : []);
	const fileCalls: FileCall[] = [];
	for (const caller of sources) {
		for (const call of caller.calls) {
			const access = getFileAccess(cache, call);
			const count = access.touches.length + access.removedPaths.length + access.changes.length;
			if (count === 0 || isUndoOfEdit(call) || openCalls.has(call)) continue;
			const outcome = byCall.get(call);
			if (outcome?.wasStopped) continue;
			const actual = outcome?.failed ? keepDoneChanges(call, access, outcome) : access;
			const touches = hidesErrors(call)
				? actual.touches.filter(({ kind }) => kind === 'edit')
				: actual.touches;
			fileCalls.push({ call, caller, outcome, access: { ...actual, touches } });
		}
	}
	const accesses = expandHome(fileCalls.map(({ access }) => access));
	return fileCalls.map((one, index) => ({ ...one, access: accesses[index] ?? one.access }));
}

/** Returns the files that these messages touched, without undone messages, in the order of their last touches. */
export function listCurrentFiles(
	sources: readonly Source[],
	{ undone, fileCalls }: CallAnalyses,
): TouchedFiles {
	const callers = sources.filter((source) => source.calls.length > 0 && !undone.has(source));
	const listed = new Set(callers.slice(-maxTouchingMessages));
	const edits = listReportedEdits(sources, undone);
	return listTouchedFiles([...edits, ...fileCalls.filter(({ caller }) => listed.has(caller))]);
}

/** Returns the edits in agents' texts that their program reported as applied, without undone ones. */
function listReportedEdits(
	sources: readonly Source[],
	undone: CallAnalyses['undone'],
): Pick<FileCall, 'caller' | 'access'>[] {
	return sources.flatMap((caller, index) => {
		const report = sources[index + 1];
		if (caller.role !== 'assistant' || caller.calls.length > 0 || undone.has(caller) || !report) return [];
		const touches = listAppliedFiles(report).map((path) => ({ kind: 'edit' as const, path, callId: '' }));
		if (touches.length === 0) return [];
		const changes = findReportedCommit(report) === undefined ? [] : [{ type: 'committed' as const }];
		return [{ caller, access: { touches, showsOnlyFiles: false, removedPaths: [], changes } }];
	});
}

/** Paths of temporary files, and of files with a command's output. They count as changed only if no others changed. */
export const outputFilePattern = /^(?:\/private)?\/tmp\/(?:[^/]+$|claude[^/]*\/)|\.(?:log|out|pid)$/;

/** Returns the files that are neither temporary nor the output of a command; all files if there are no others. */
export function selectLasting(files: readonly TouchedFile[]): readonly TouchedFile[] {
	const lasting = files.filter(({ path }) => !outputFilePattern.test(path));
	if (lasting.length === 0) return files;
	// Sometimes the work itself is in a temporary folder. Then few files or none are outside.
	const outside = lasting.filter(({ path }) => !isTemporary(path));
	return 2 * outside.length >= lasting.length ? outside : lasting;
}

/** Returns the files that calls touched, in the order of their last touches. */
export function listTouchedFiles(
	calls: readonly (Pick<FileCall, 'caller' | 'access'> & Partial<FileCall>)[],
): TouchedFiles {
	const resolve = createPathResolver(calls.flatMap(({ access }) => listNamedPaths(access)));
	const [read, changed, removed] = [new Map(), new Map(), new Map()];
	const files: FileState = {
		read,
		changed,
		removed,
		folders: new Set(),
		existing: new Set(),
		git: new GitState(),
	};
	let [lastCommitSeq, stashSeq] = [-1, -1];
	for (const { call, caller, outcome, access } of calls) {
		const { seq } = caller;
		const changes = readGitChanges(access.changes, outcome);
		if (changes.some(({ type }) => type === 'committed') && !(outcome && isTrial(outcome)))
			lastCommitSeq = seq;
		for (const touch of access.touches)
			if (!access.removedPaths.includes(touch.path)) addTouch(files, resolve, touch, seq);
		for (const path of listReplacedPaths(call, access)) files.existing.add(resolve(path));
		for (const one of changes)
			if (one.type === 'moved') moveChangedFiles(files, resolve(one.path), resolve(one.to));
		for (const path of access.removedPaths) removePath(files, resolve(path), seq);
		for (const change of changes) {
			if (change.type === 'moved') {
				if (!access.removedPaths.includes(change.to)) removed.delete(resolve(change.to));
				recordMove(files, resolve(change.path), resolve(change.to));
			}
			applyGit(files, resolve, change);
			if (change.type === 'stashed') stashSeq = seq;
			const isSettled = change.type === 'listed' && outcome ? createSettledTest(outcome) : undefined;
			if (isSettled) files.git.settle(isSettled);
		}
	}
	for (const { path } of listCancelledFiles(calls, resolve)) files.changed.delete(path);
	for (const path of files.changed.keys()) files.read.delete(path);
	const stashedPaths = files.git
		.listStashedPaths()
		.filter((path) => !outputFilePattern.test(path) && !isTemporary(path));
	return {
		read: [...files.read.values()],
		changed: [...files.changed.values()],
		removed: [...files.removed.values()],
		lastCommitSeq,
		uncommittedPaths: files.git.listUncommittedPaths(),
		...(stashedPaths.length > 0 && { stash: { paths: stashedPaths, seq: stashSeq } }),
	};
}

function listNamedPaths({ touches, removedPaths, changes }: FileAccess): string[] {
	const changedPaths = changes.flatMap((change) => ('path' in change ? (change.path ?? []) : []));
	return [...touches.map(({ path }) => path), ...removedPaths, ...changedPaths];
}

/** Returns the same path for the absolute path of a file and its path relative to the commands' folder. */
type ResolvePath = (path: string) => string;

const rootedPattern = /^(?:[A-Za-z]:)?\/|^~/;

/** Returns the folder, with a slash at its end, that contains all of these files; empty if there is none. */
function findCommonFolder([first = '', ...others]: readonly string[]): string {
	if (first.length > maxPathLength) return '';
	for (let end = first.lastIndexOf('/'); end > 0; end = first.lastIndexOf('/', end - 1)) {
		const folder = first.slice(0, end + 1);
		if (others.every((path) => path.startsWith(folder))) return folder;
	}
	return '';
}

/**
 * Returns a mapping from relative paths to absolute paths of the same files. The commands' folder is unknown and is
 * guessed: it is the folder that maps most relative paths to absolute paths in the list. A bare file name may exist in
 * many folders, so it counts only in the folder that contains all files. Other paths stay unchanged.
 */
function createPathResolver(paths: readonly string[]): ResolvePath {
	const rootedPaths = new Set(paths.filter((path) => rootedPattern.test(path)));
	const [relative, bare] = [new Set<string>(), new Set<string>()];
	for (const path of paths) if (!rootedPattern.test(path)) (path.includes('/') ? relative : bare).add(path);
	if (relative.size + bare.size === 0) return (path) => path;
	const folders = new Map<string, number>();
	const rootedFolders = new Set<string>();
	const outermost = bare.size > 0 ? findCommonFolder([...rootedPaths]) : '';
	for (const name of bare) if (rootedPaths.has(outermost + name)) folders.set(outermost, 1);
	for (const path of rootedPaths) recordFolders(rootedFolders, path);
	for (const path of [...rootedPaths, ...rootedFolders]) {
		if (path.length > maxPathLength) continue;
		for (const { index } of path.matchAll(/\//g)) {
			if (!relative.has(path.slice(index + 1))) continue;
			const folder = path.slice(0, index + 1);
			folders.set(folder, (folders.get(folder) ?? 0) + 1);
		}
	}
	const isRooted = (path: string): boolean => rootedPaths.has(path) || rootedFolders.has(path);
	// Of a file that only commands named, such as a new one, the outermost folder may be known.
	const isInFolder = (path: string, root: string): boolean =>
		path.includes('/') && rootedFolders.has(root + path.slice(0, path.indexOf('/')));
	const [folder] = [...folders].sort(([, a], [, b]) => b - a)[0] ?? [];
	if (folder === undefined) return (path) => path;
	return (path) =>
		!rootedPattern.test(path) && (isRooted(folder + path) || isInFolder(path, folder)) ? folder + path : path;
}

/**
 * Returns the file access of a failed call: that of the part that succeeded, if it is known. Another failed script may have
 * written some files; other calls wrote none.
 */
function keepDoneChanges(call: ToolCall, access: FileAccess, outcome: CallOutcome): FileAccess {
	const part = findSucceededPart(call, outcome);
	if (part !== undefined) return findFileAccess(part);
	const written = access.touches.filter(
		({ kind, path }) => kind === 'edit' && !access.removedPaths.includes(path),
	);
	const isOnlyFile = new Set(written.map(({ path }) => path)).size === 1;
	const mayBeDone = isScript(call)
		? written.filter(({ path }) => mayHaveWritten(path, isOnlyFile, outcome))
		: [];
	return { ...access, touches: mayBeDone, removedPaths: [], changes: [] };
}

/** Returns the files of which an edit replaces a part, so that they must exist before the edit. */
function listReplacedPaths(call: ToolCall | undefined, access: FileAccess): string[] {
	if (call === undefined) return [];
	const edited = listEditedPaths(access);
	if (hasShellCommand(call)) {
		const replaced = new Set(access.changes.map((one) => (one.type === 'replaced' ? one.path : undefined)));
		return edited.filter((path) => replaced.has(path));
	}
	const callArguments = listArguments(call);
	const patch = callArguments.find(({ text }) => text.includes(patchStart))?.text;
	if (patch !== undefined) return edited.filter((path) => patch.includes(`*** Update File: ${path}`));
	return callArguments.some(({ key }) => oldSideNamePattern.test(key)) ? edited : [];
}

const patchEnd = '*** End Patch';

/** Whether a call runs a script, which may do a part of its work before it fails. A failed patch changes nothing. */
function isScript(call: ToolCall): boolean {
	const command = findShellCommand(call) ?? '';
	if (isSingleFileCommand(command)) return false;
	if (!/^(?:cd \S+ && )?apply_patch\b/.test(command)) return /\s/.test(command);
	// Only a quotation mark or the end of a here-document may follow a patch.
	return !/^["']?\s*\w*$/.test(command.slice(command.lastIndexOf(patchEnd) + patchEnd.length).trim());
}

interface FileState extends Record<'read' | 'changed' | 'removed', Map<string, TouchedFile>> {
	/** All folders that contain a listed file. */
	folders: Set<string>;
	/** Files of which an edit replaced a part, so that they existed before. */
	existing: Set<string>;
	git: GitState<ListChange>;
}

function recordFolders(folders: Set<string>, path: string): void {
	if (path.length > maxPathLength) return;
	for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
		const folder = path.slice(0, end);
		if (folders.has(folder)) return;
		folders.add(folder);
	}
}

function addTouch(
	files: FileState,
	resolve: ResolvePath,
	touch: FileAccess['touches'][number],
	seq: number,
): void {
	const path = resolve(touch.path);
	const isEdit = touch.kind === 'edit';
	const file = (isEdit ? files.changed : files.read).get(path);
	recordFolders(files.folders, path);
	// A touched file proves that its folders exist.
	for (let end = path.length; end > 0 && files.removed.size > 0; end = path.lastIndexOf('/', end - 1))
		files.removed.delete(path.slice(0, end));
	const range = touch.from === undefined ? [] : [{ from: touch.from, to: touch.to }];
	const touchedFile = { path, ranges: file === undefined ? range : mergeRanges(file.ranges, range), seq };
	if (isEdit) changeListing(files, path, { changed: touchedFile });
	else {
		files.read.delete(path);
		files.read.set(path, touchedFile);
	}
}

/** Returns the known folder that a relative path names, if there is only one; else the path. */
function resolveFolder(folders: ReadonlySet<string>, path: string): string {
	if (folders.has(path) || rootedPattern.test(path) || /\.\w{1,8}$/.test(path)) return path;
	const [folder = path, ...others] = [...folders].filter((one) => one.endsWith(`/${path}`));
	return others.length === 0 ? folder : path;
}

/** Lists a file, or a folder and everything in it, as removed. Paths that are generated again are not listed themselves. */
function removePath(files: FileState, removedPath: string, seq: number): void {
	// After `git rm -rf .` in an empty branch, another branch still has the files. Git's own files are none of the project.
	if (/(?:^|\/)\.(?:$|git\/)/.test(removedPath)) return;
	const path = resolveFolder(files.folders, removedPath);
	const folderPrefix = `${path}/`;
	if (files.folders.has(path)) {
		for (const one of files.changed.keys()) if (one.startsWith(folderPrefix)) changeListing(files, one, {});
		for (const kind of [files.read, files.removed])
			for (const one of kind.keys()) if (one.startsWith(folderPrefix)) kind.delete(one);
	}
	files.read.delete(path);
	if (isGenerated(path)) return;
	changeListing(files, path, { removed: { path, ranges: [], seq } });
	recordFolders(files.folders, path);
}

/** Lists the changed files of a folder at the path to which the folder is moved. */
function moveChangedFiles(files: FileState, from: string, to: string): void {
	if (!files.folders.has(from)) return;
	const inFolder = [...files.changed.values()].filter(({ path }) => path.startsWith(`${from}/`));
	for (const file of inFolder) {
		const path = to + file.path.slice(from.length);
		changeListing(files, path, { changed: { ...file, path } });
		recordFolders(files.folders, path);
	}
}

/** Records where a removed file is now, and where files are that were moved to its path before. */
function recordMove({ removed, folders }: FileState, from: string, to: string): void {
	const froms = [from, resolveFolder(folders, from)];
	for (const file of removed.values())
		if (froms.includes(file.path) || file.movedTo === from) file.movedTo = to;
}

/** A file's entries in two of the lists. */
type Listing = Partial<Record<'changed' | 'removed', TouchedFile>>;

/** A change of a file's entries in the lists of changed and removed files. */
interface ListChange {
	path: string;
	before: Listing;
	after: Listing;
}

function setListing({ changed, removed }: FileState, path: string, listing: Listing): void {
	changed.delete(path);
	removed.delete(path);
	if (listing.changed) changed.set(path, listing.changed);
	if (listing.removed) removed.set(path, listing.removed);
}

/** Changes how a file is listed, and records the change so that a later git command can revert it. */
function changeListing(files: FileState, path: string, after: Listing): void {
	const before = { changed: files.changed.get(path), removed: files.removed.get(path) };
	setListing(files, path, after);
	files.git.record({ path, before, after });
}

function applyGit(files: FileState, resolve: ResolvePath, change: ShellFileChange): void {
	const { git, read } = files;
	const namedPath = 'path' in change && change.path !== undefined ? resolve(change.path) : undefined;
	const isNamed = (path: string): boolean | undefined =>
		namedPath === undefined ? undefined : path === namedPath || path.startsWith(`${namedPath}/`);
	if (change.type === 'staged' || change.type === 'unstaged') {
		const isSelected = (path: string): boolean =>
			isNamed(path) !== false || mayContain(change.path ?? '', path);
		if (change.type === 'staged') git.stage(isSelected);
		else git.unstage(isSelected);
		return;
	}
	// Git tracks files that existed before: files that were read, replaced in part or committed. It restores no others.
	const isTracked = ({ path, before, after }: ListChange): boolean =>
		read.has(path) ||
		files.existing.has(path) ||
		git.isCommitted(path) ||
		(after.removed !== undefined && !before.changed);
	const isAffected = (one: ListChange): boolean => {
		const isNamedFile = isNamed(one.path);
		if (change.type === 'cleaned') return isNamedFile !== false && !isTracked(one);
		const includesNewFiles = change.type === 'stashed' && change.includesNewFiles === true;
		return isNamedFile ?? (includesNewFiles || isTracked(one));
	};
	const { undone, redone } = git.apply(change, isAffected);
	for (const { path, before } of undone) setListing(files, path, before);
	for (const { path, after } of redone) changeListing(files, path, after);
}
