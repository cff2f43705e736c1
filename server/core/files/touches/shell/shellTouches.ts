import type { LineSpan } from '../lineRange.ts';
import { findPatchedPaths } from '../patch.ts';
import { placeInFolder, resolveFilePath } from '../path.ts';
import { maxResolvedNames, maxTouchesPerCall } from '../tuning.ts';
import { findFileChanges, findReplacementsInBlocks, type ShellFileChange } from './fileChanges.ts';
import { findInlineWrites } from './inlineScripts.ts';
import { type Pipeline, parseScript, type ShellCommand } from './script.ts';
import { findShownFiles } from './shownFiles.ts';
import type { ShellWord } from './tokens.ts';
import { translateWindowsScript } from './windowsScripts.ts';

interface ShellTouch extends LineSpan {
	kind: 'read' | 'edit';
	path: string;
}

export interface ShellAccess {
	touches: ShellTouch[];
	/** Whether the output can only contain lines of the files that the command reads. */
	showsOnlyFiles: boolean;
	/** Files and folders that no longer exist after the command, if every part of the command succeeds. */
	removedPaths: string[];
	/** Other changes, in order, if every part of the command succeeds. */
	changes: ShellFileChange[];
}

const noAccess: ShellAccess = { touches: [], showsOnlyFiles: false, removedPaths: [], changes: [] };
const shellNamePattern = /^(?:.*\/)?(?:bash|sh|zsh|dash|ksh)$/;
/** Maximum nesting of scripts inside scripts (`bash -lc "bash -c ..."`). */
const maxWrappers = 3;

/**
 * Returns the files that a shell command reads and changes. Linear in the command. Stops after `maxTouchesPerCall` touches
 * or `maxResolvedNames` names, and then returns touches only.
 *
 * @param command a script, or the argument array of a program
 * @param folder where the command starts; `undefined` keeps relative paths, `null` means an unknown folder
 */
export function findShellAccess(command: unknown, folder: string | undefined | null): ShellAccess {
	if (typeof command === 'string')
		return findScriptAccess(command, folder, { wrapperCount: 0, resolvedNameCount: 0 });
	if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return noAccess;
	const words = command.map((text): ShellWord => ({ t: 'word', text, isKnown: true }));
	const pipelines: Pipeline[] = [{ joinedBy: 'start', commands: [{ words, redirections: [] }] }];
	return findPipelinesAccess(pipelines, folder, { wrapperCount: 0, resolvedNameCount: 0 });
}

/** How much of a command's limits is used up. Nested scripts count towards the same limits. */
interface ShellProgress {
	/** Number of scripts around the current script. */
	wrapperCount: number;
	/** Number of names resolved so far. */
	resolvedNameCount: number;
}

function findScriptAccess(
	script: string,
	folder: string | undefined | null,
	progress: ShellProgress,
): ShellAccess {
	const pipelines = parseScript(translateWindowsScript(script));
	if (pipelines !== undefined) return findPipelinesAccess(pipelines, folder, progress);
	const changes = findReplacementsInBlocks(script).flatMap((change) => {
		const path = 'path' in change && change.path !== '*' ? resolveFilePath(folder, change.path ?? '') : '*';
		return path === undefined ? [] : [{ ...change, path } as ShellFileChange];
	});
	return { ...noAccess, changes: changes.slice(0, maxTouchesPerCall) };
}

function findPipelinesAccess(
	pipelines: readonly Pipeline[],
	startFolder: string | undefined | null,
	progress: ShellProgress,
): ShellAccess {
	const touches: ShellTouch[] = [];
	const removedPaths = new Set<string>();
	const changes: ShellFileChange[] = [];
	let showsOnlyFiles = true;
	let folder = startFolder;
	const isFull = (): boolean =>
		Math.max(touches.length, removedPaths.size) > maxTouchesPerCall ||
		progress.resolvedNameCount > maxResolvedNames;
	const resolve = (name: string): string | undefined => {
		progress.resolvedNameCount++;
		return isFull() ? undefined : resolveFilePath(folder, name);
	};
	const add = (touch: ShellTouch): void => {
		const path = resolve(touch.path);
		if (path === undefined) showsOnlyFiles = false;
		else touches.push({ ...touch, path });
		if (path !== undefined && touch.kind === 'edit') removedPaths.delete(path);
	};
	const addRemovedPath = (path: string): void => {
		const resolved = resolve(path);
		if (resolved !== undefined) removedPaths.add(resolved);
	};
	const addChange = (change: ShellFileChange): void => {
		const writtenPath = 'path' in change ? (change.path ?? '') : '';
		const path = /^\*?$/.test(writtenPath) ? writtenPath : resolve(writtenPath);
		if (path === undefined) return;
		const resolved = path === '' ? change : { ...change, path };
		if (resolved.type === 'rewritten' && resolved.from !== undefined)
			changes.push({ ...resolved, from: resolve(resolved.from) });
		else if (resolved.type !== 'moved') changes.push(resolved);
		else if (resolve(resolved.to) !== undefined)
			changes.push({ ...resolved, to: resolve(resolved.to) ?? '' });
	};
	for (const [index, { commands, joinedBy }] of pipelines.entries()) {
		if (isFull()) break;
		const [first] = commands;
		if (first === undefined) continue;
		const next = pipelines[index + 1];
		const mayNotRun = joinedBy === '||' || (next?.joinedBy === '||' && !next.commands.every(isSilentCommand));
		const innerScript = commands.length === 1 ? findWrappedScript(first) : undefined;
		if (innerScript !== undefined && progress.wrapperCount < maxWrappers && folder !== null) {
			progress.wrapperCount++;
			const access = findScriptAccess(innerScript, folder, progress);
			progress.wrapperCount--;
			if (!mayNotRun) {
				touches.push(...access.touches);
				for (const path of access.removedPaths) removedPaths.add(path);
				changes.push(...access.changes);
			}
			showsOnlyFiles = showsOnlyFiles && access.showsOnlyFiles && !mayNotRun;
			continue;
		}
		if (first.words[0]?.text === 'cd' && commands.length === 1) {
			progress.resolvedNameCount++;
			folder = findFolderAfter(first, folder, mayNotRun);
			continue;
		}
		for (const path of commands.flatMap(findChangedFiles)) add({ kind: 'edit', path });
		if (!mayNotRun) for (const path of commands.flatMap(findRemovedFiles)) addRemovedPath(path);
		const inlineWrites = commands.map(findInlineWrites);
		for (const path of inlineWrites.flatMap(({ paths }) => paths)) add({ kind: 'edit', path });
		if (!mayNotRun) for (const change of inlineWrites.flatMap((one) => one.changes)) addChange(change);
		if (!mayNotRun)
			for (const change of commands.flatMap((one) => [...findRewrittenFiles(one), ...findFileChanges(one)]))
				addChange(change);
		if (commands.some(redirectsOutput)) continue;
		const shownFiles = mayNotRun ? undefined : findShownFiles(commands);
		if (shownFiles !== undefined) for (const file of shownFiles) add({ kind: 'read', ...file });
		else if (!commands.every(isSilentCommand)) showsOnlyFiles = false;
	}
	if (isFull()) return { ...noAccess, touches };
	const showsFiles = showsOnlyFiles && touches.some((touch) => touch.kind === 'read');
	return { touches, showsOnlyFiles: showsFiles, removedPaths: [...removedPaths], changes };
}

/** Returns the folder after a `cd`; null if only a running shell can determine the folder. */
function findFolderAfter(
	command: ShellCommand,
	folder: string | undefined | null,
	mayNotRun: boolean,
): string | undefined | null {
	const [, target] = command.words;
	if (target === undefined || !target.isKnown || target.text.startsWith('-') || mayNotRun) return null;
	return resolveFilePath(folder, target.text) ?? null;
}

/** Returns the inner script of `bash -lc SCRIPT`; undefined for other commands. */
export function findWrappedScript(command: ShellCommand): string | undefined {
	const [shell, ...rest] = command.words;
	if (shell === undefined || !shellNamePattern.test(shell.text)) return undefined;
	const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
	if (flag < 0 || !rest.slice(0, flag).every(({ text }) => /^-[a-z]+$/.test(text))) return undefined;
	const script = rest[flag + 1];
	return script?.isKnown ? script.text : undefined;
}

/** Commands that change no file and print nothing but text of the script itself. */
const silentNames = new Set(['cd', 'echo', 'printf', 'true', ':', 'export', 'set', 'sleep', 'exit', 'unset']);
const discardTargetPattern = /^(?:\/dev\/(?:null|stdout|stderr|tty)|nul|&?\d|-)$/i;

/** Whether the command prints only text of the script itself. */
function isSilentCommand(command: ShellCommand): boolean {
	return silentNames.has(command.words[0]?.text ?? '');
}

/** Whether the command's output goes to a file instead of the result. */
function redirectsOutput(command: ShellCommand): boolean {
	return command.redirections.some(
		({ operator, descriptor }) => isOutputOperator(operator) && descriptor !== '2' && operator !== '>&',
	);
}

/** Whether a redirection sends output or errors to a file, other than a device such as `/dev/null`. */
export function isWrite({ operator, target }: ShellCommand['redirections'][number]): boolean {
	return isOutputOperator(operator) && !(target.isKnown && discardTargetPattern.test(target.text));
}

/** Returns the files that a command writes, changes, moves or removes, as the command names them; empty if unclear. */
function findChangedFiles(command: ShellCommand): string[] {
	const writtenPaths = command.redirections
		.filter((redirection) => isWrite(redirection) && redirection.target.isKnown)
		.map(({ target }) => target.text);
	return [...writtenPaths, ...findChangedOperands(command)];
}

/** Returns the files that get a wholly new text by a command: by `>`, `tee` or `cp`. */
function findRewrittenFiles(command: ShellCommand): ShellFileChange[] {
	const written = command.redirections
		.filter((one) => isWrite(one) && one.target.isKnown && !one.operator.includes('>>'))
		.map(({ target }): ShellFileChange => ({ type: 'rewritten', path: target.text }));
	const [name, ...rest] = command.words.map(({ text }) => text);
	if (name === 'cp')
		return [...written, ...findCopies(command).map((copy) => ({ type: 'rewritten' as const, ...copy }))];
	const operands = findChangedOperands(command);
	if (name === 'tee' && !rest.some((word) => /^(?:-\w*a|--append$)/.test(word)))
		return [...written, ...operands.map((path): ShellFileChange => ({ type: 'rewritten', path }))];
	return written;
}

/** A copy of a file; `from` is undefined if only a running shell knows the original. */
interface Copy {
	path: string;
	from?: string;
}

/** Returns the copies of files that `cp` makes. With `-r`, a name without an extension is taken for a folder. */
function findCopies(command: ShellCommand): Copy[] {
	const isRecursive = command.words.some(({ text }) => /^(?:-\w*[rRa]|--(?:recursive|archive)$)/.test(text));
	return listCopies(command).filter(({ path }) => !isRecursive || hasExtension(path));
}

/** Returns all copies of `cp`. An unknown original may be a folder, unless the copy's name has an extension. */
function listCopies({ words: [, ...rest] }: ShellCommand): Copy[] {
	const operands = rest.filter(({ text }) => !text.startsWith('-') || text === '-');
	const target = operands.at(-1);
	const hasTargetOption = rest.some(({ text }) => /^(?:-\w*t|--target-directory)/.test(text));
	if (operands.length < 2 || !target?.isKnown || discardTargetPattern.test(target.text) || hasTargetOption)
		return [];
	const { text: path } = target;
	const [origin, ...others] = operands.slice(0, -1);
	if (others.length === 0 && !path.endsWith('/'))
		return origin?.isKnown ? [{ path, from: origin.text }] : hasExtension(path) ? [{ path }] : [];
	return operands
		.slice(0, -1)
		.flatMap(({ text, isKnown }) => (isKnown ? [{ path: placeInFolder(path, text), from: text }] : []));
}

function hasExtension(path: string): boolean {
	return /[^/.]\.\w{1,12}$/.test(path);
}

function isOutputOperator(operator: string): boolean {
	return operator.includes('>') && operator !== '<>';
}

/** Returns a command's operands, which are words other than options, as far as the script alone determines them. */
function listOperands({ words: [, ...rest] }: ShellCommand): string[] {
	return rest.filter((word) => word.isKnown && !word.text.startsWith('-')).map((word) => word.text);
}

/** Returns the files and folders that a command removes or moves away. */
function findRemovedFiles(command: ShellCommand): string[] {
	const [name, ...rest] = command.words;
	const operands = listOperands(command);
	switch (name?.text) {
		case 'rm':
		case 'rmdir':
		case 'unlink':
			return operands;
		case 'mv':
			// If an option names the target folder, it is unclear which operands are moved.
			return rest.some(({ text }) => /^(?:-\w*t|--target-directory)/.test(text)) ? [] : operands.slice(0, -1);
		case 'git':
			if (operands[0] === 'rm' && !rest.some(({ text }) => text === '--cached')) return operands.slice(1);
			return operands[0] === 'mv' ? operands.slice(1, -1) : [];
		case 'apply_patch':
		case 'applypatch':
			return findPatchedPaths(command.document ?? rest[0]?.text ?? '').removedPaths;
		default:
			return [];
	}
}

/** Returns the paths to which a command moves files. */
function listMoveTargets(command: ShellCommand): string[] {
	return findFileChanges(command).flatMap((change) => (change.type === 'moved' ? change.to : []));
}

function findChangedOperands(command: ShellCommand): string[] {
	const [name, ...rest] = command.words;
	const operands = listOperands(command);
	switch (name?.text) {
		case 'tee':
		case 'rm':
		case 'truncate':
			return operands;
		case 'mv':
			return rest.at(-1)?.isKnown ? [...operands.slice(0, -1), ...listMoveTargets(command)] : operands;
		case 'cp':
			return findCopies(command).map(({ path }) => path);
		case 'sed':
			return findSedOperands(command);
		case 'apply_patch':
		case 'applypatch':
			return findPatchedPaths(command.document ?? rest[0]?.text ?? '').paths;
		default:
			return [];
	}
}

function findSedOperands(command: ShellCommand): string[] {
	const words = command.words.slice(1);
	const inPlaceIndex = words.findIndex(({ text }) => /^-[nEr]*i|^--in-place/.test(text));
	if (inPlaceIndex < 0) return [];
	const hasScriptOption = words.some(({ text }) => text === '-e' || text === '-f' || text === '--expression');
	const operands: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index];
		if (word === undefined) continue;
		const isSuffix = index === inPlaceIndex + 1 && word.text === '';
		if (word.text === '-e' || word.text === '-f' || word.text === '--expression') index++;
		else if (!word.text.startsWith('-') && !isSuffix) operands.push(word.isKnown ? word.text : '');
	}
	return (hasScriptOption ? operands : operands.slice(1)).filter((path) => path !== '');
}
