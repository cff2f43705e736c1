import type { LineSpan } from '../lineRange.ts';
import { patchedPaths, pathsRemovedByPatch } from '../patch.ts';
import { resolveFilePath } from '../path.ts';
import { maxResolvedNames, maxTouchesPerCall } from '../tuning.ts';
import { fileChanges, type ShellFileChange } from './fileChanges.ts';
import { type Pipeline, parseScript, type ShellCommand } from './script.ts';
import { shownFiles } from './shown.ts';
import type { ShellWord } from './tokens.ts';

interface ShellTouch extends LineSpan {
	kind: 'read' | 'edit';
	path: string;
}

export interface ShellAccess {
	touches: ShellTouch[];
	/** Whether the output can only contain lines of the files read. */
	onlyFiles: boolean;
	/** Files and folders that no longer exist afterwards, if every part succeeds. */
	gone: string[];
	/** Other changes, in order, if every part succeeds. */
	changes: ShellFileChange[];
}

const noAccess: ShellAccess = { touches: [], onlyFiles: false, gone: [], changes: [] };
const shellNames = /^(?:.*\/)?(?:bash|sh|zsh|dash|ksh)$/;
/** Maximum nesting of scripts inside scripts (`bash -lc "bash -c ..."`). */
const maxWrappers = 3;

/**
 * Returns the files that a shell command reads and changes. Linear in the command. Stops after
 * `maxTouchesPerCall` touches or `maxResolvedNames` names, and then makes no claim about the result or about removed
 * files.
 *
 * @param command a script, or the argument array of a program
 * @param folder where the command starts; `undefined` keeps relative paths, `null` means an unknown folder
 */
export function shellAccess(command: unknown, folder: string | undefined | null): ShellAccess {
	if (typeof command === 'string') return scriptAccess(command, folder, { wrappers: 0, names: 0 });
	if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return noAccess;
	const words = command.map((text): ShellWord => ({ t: 'word', text, known: true }));
	const pipelines: Pipeline[] = [{ joinedBy: 'start', commands: [{ words, redirections: [] }] }];
	return pipelinesAccess(pipelines, folder, { wrappers: 0, names: 0 });
}

/** Progress of one command, shared by the scripts inside its script. */
interface Progress {
	/** Number of scripts around the current one. */
	wrappers: number;
	/** Names resolved so far. */
	names: number;
}

function scriptAccess(script: string, folder: string | undefined | null, progress: Progress): ShellAccess {
	const pipelines = parseScript(script);
	return pipelines === undefined ? noAccess : pipelinesAccess(pipelines, folder, progress);
}

function pipelinesAccess(
	pipelines: readonly Pipeline[],
	startFolder: string | undefined | null,
	progress: Progress,
): ShellAccess {
	const touches: ShellTouch[] = [];
	const gone = new Set<string>();
	const changes: ShellFileChange[] = [];
	let onlyFiles = true;
	let folder = startFolder;
	const isFull = (): boolean =>
		Math.max(touches.length, gone.size) > maxTouchesPerCall || progress.names > maxResolvedNames;
	const resolve = (name: string): string | undefined => {
		progress.names++;
		return isFull() ? undefined : resolveFilePath(folder, name);
	};
	const add = (touch: ShellTouch): void => {
		const path = resolve(touch.path);
		if (path === undefined) onlyFiles = false;
		else touches.push({ ...touch, path });
		if (path !== undefined && touch.kind === 'edit') gone.delete(path);
	};
	const addGone = (path: string): void => {
		const resolved = resolve(path);
		if (resolved !== undefined) gone.add(resolved);
	};
	const addChange = (change: ShellFileChange): void => {
		const named = 'path' in change ? (change.path ?? '') : '';
		const path = named === '' ? '' : resolve(named);
		if (path === undefined) return;
		const placed = path === '' ? change : { ...change, path };
		if (placed.type !== 'moved') changes.push(placed);
		else if (resolve(placed.to) !== undefined) changes.push({ ...placed, to: resolve(placed.to) ?? '' });
	};
	for (const [index, { commands, joinedBy }] of pipelines.entries()) {
		if (isFull()) break;
		const [first] = commands;
		if (first === undefined) continue;
		const next = pipelines[index + 1];
		const mayNotRun = joinedBy === '||' || (next?.joinedBy === '||' && !next.commands.every(isSilent));
		const inner = commands.length === 1 ? wrappedScript(first) : undefined;
		if (inner !== undefined && progress.wrappers < maxWrappers && folder !== null) {
			progress.wrappers++;
			const access = scriptAccess(inner, folder, progress);
			progress.wrappers--;
			if (!mayNotRun) touches.push(...access.touches);
			if (!mayNotRun) for (const path of access.gone) gone.add(path);
			if (!mayNotRun) changes.push(...access.changes);
			onlyFiles = onlyFiles && access.onlyFiles && !mayNotRun;
			continue;
		}
		if (first.words[0]?.text === 'cd' && commands.length === 1) {
			progress.names++;
			folder = folderAfter(first, folder, mayNotRun);
			continue;
		}
		for (const path of commands.flatMap(findChangedFiles)) add({ kind: 'edit', path });
		if (!mayNotRun) for (const path of commands.flatMap(findRemovedFiles)) addGone(path);
		if (!mayNotRun) for (const change of commands.flatMap(fileChanges)) addChange(change);
		if (commands.some(redirectsOutput)) continue;
		const shown = mayNotRun ? undefined : shownFiles(commands);
		if (shown !== undefined) for (const file of shown) add({ kind: 'read', ...file });
		else if (!commands.every(isSilent)) onlyFiles = false;
	}
	if (isFull()) return { ...noAccess, touches };
	const showsFiles = onlyFiles && touches.some((touch) => touch.kind === 'read');
	return { touches, onlyFiles: showsFiles, gone: [...gone], changes };
}

/** The folder after a `cd`; null if the script alone does not determine it. */
function folderAfter(
	command: ShellCommand,
	folder: string | undefined | null,
	mayNotRun: boolean,
): string | undefined | null {
	const [, target] = command.words;
	if (target === undefined || !target.known || target.text.startsWith('-') || mayNotRun) return null;
	return resolveFilePath(folder, target.text) ?? null;
}

/** The inner script of `bash -lc SCRIPT`. */
function wrappedScript(command: ShellCommand): string | undefined {
	const [shell, ...rest] = command.words;
	if (shell === undefined || !shellNames.test(shell.text)) return undefined;
	const flag = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
	if (flag < 0 || !rest.slice(0, flag).every(({ text }) => /^-[a-z]+$/.test(text))) return undefined;
	const script = rest[flag + 1];
	return script?.known ? script.text : undefined;
}

/** Commands that change nothing and print at most text of the script itself. */
const silentCommands = new Set([
	'cd',
	'echo',
	'printf',
	'true',
	':',
	'export',
	'set',
	'sleep',
	'exit',
	'unset',
]);
const discardTargets = /^(?:\/dev\/(?:null|stdout|stderr|tty)|&?\d|-)$/;

/** Whether the command prints only text of the script itself. */
function isSilent(command: ShellCommand): boolean {
	return silentCommands.has(command.words[0]?.text ?? '');
}

/** Whether the command's output goes to a file instead of the result. */
function redirectsOutput(command: ShellCommand): boolean {
	return command.redirections.some(
		({ operator, descriptor }) => isOutput(operator) && descriptor !== '2' && operator !== '>&',
	);
}

/** The files that a command writes, changes, moves or removes, as named; empty if unclear. */
function findChangedFiles(command: ShellCommand): string[] {
	const written = command.redirections
		.filter(({ operator, target }) => isOutput(operator) && target.known && !discardTargets.test(target.text))
		.map(({ target }) => target.text);
	return [...written, ...findChangedOperands(command)];
}

function isOutput(operator: string): boolean {
	return operator.includes('>') && operator !== '<>';
}

/** The operands of a command that the script determines: words other than options. */
function operandsOf({ words: [, ...rest] }: ShellCommand): string[] {
	return rest.filter((word) => word.known && !word.text.startsWith('-')).map((word) => word.text);
}

/** The files and folders that a command removes or moves away. */
function findRemovedFiles(command: ShellCommand): string[] {
	const [name, ...rest] = command.words;
	const operands = operandsOf(command);
	switch (name?.text) {
		case 'rm':
		case 'rmdir':
		case 'unlink':
			return operands;
		case 'mv':
			// If an option names the target folder, the position of the last operand says nothing about it.
			return rest.some(({ text }) => /^(?:-\w*t|--target-directory)/.test(text)) ? [] : operands.slice(0, -1);
		case 'git':
			if (operands[0] === 'rm' && !rest.some(({ text }) => text === '--cached')) return operands.slice(1);
			return operands[0] === 'mv' ? operands.slice(1, -1) : [];
		case 'apply_patch':
		case 'applypatch':
			return pathsRemovedByPatch(command.document ?? rest[0]?.text ?? '');
		default:
			return [];
	}
}

function findChangedOperands(command: ShellCommand): string[] {
	const [name, ...rest] = command.words;
	const operands = operandsOf(command);
	switch (name?.text) {
		case 'tee':
		case 'rm':
		case 'truncate':
		case 'mv':
			return operands;
		case 'cp':
			return rest.every((word) => word.known) && operands.length === 2 ? operands.slice(1) : [];
		case 'sed':
			return findSedOperands(command);
		case 'apply_patch':
		case 'applypatch':
			return patchedPaths(command.document ?? rest[0]?.text ?? '');
		default:
			return [];
	}
}

function findSedOperands(command: ShellCommand): string[] {
	const words = command.words.slice(1);
	const inPlace = words.findIndex(({ text }) => /^-[nEr]*i|^--in-place/.test(text));
	if (inPlace < 0) return [];
	const scripts = words.some(({ text }) => text === '-e' || text === '-f' || text === '--expression');
	const operands: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index];
		if (word === undefined) continue;
		const isSuffix = index === inPlace + 1 && word.text === '';
		if (word.text === '-e' || word.text === '-f' || word.text === '--expression') index++;
		else if (!word.text.startsWith('-') && !isSuffix) operands.push(word.known ? word.text : '');
	}
	return (scripts ? operands : operands.slice(1)).filter((path) => path !== '');
}
