/** Finds the changes of files that the arguments and commands of a history's calls show. */

import { leavesOf, type PastCall } from './pastCalls.ts';

/** One change or read of one file. */
export type FileEvent =
	/** The whole file was written; `lines` are all of its lines. */
	| { type: 'written'; path: string; lines: string[] }
	/**
	 * Lines were removed and added. The first and the last removed text may be parts of lines, unless `isWholeLines`.
	 */
	| { type: 'changed'; path: string; removed: string[]; added: string[]; isWholeLines?: true }
	/** A result showed lines of the file, or of unknown files if `path` is empty. */
	| { type: 'shown'; path: string; lines: string[] }
	| { type: 'removed'; path: string }
	| { type: 'moved'; path: string; to: string }
	/** Another file was copied to the file, whose lines are then unknown. */
	| { type: 'copied'; path: string }
	/** Git restored the file, or all files (path `.`), to the last commit. */
	| { type: 'restored'; path: string }
	/** Git put the uncommitted changes of all files aside, or brought them back. */
	| { type: 'stashed' }
	| { type: 'unstashed' }
	| { type: 'committed' };

/** Matches names of arguments with the text that an edit removes. */
export const oldKey = /^old_?(?:string|str|text)$|^search$/i;
const newKey = /^new_?(?:string|str|text)$|^replace(?:ment)?$|^insert_text$/i;
const contentKey = /^(?:content|file_text|contents|text)$/i;

/** Returns the events of the successful calls in order, each with the position of its call. */
export function fileEvents(calls: readonly PastCall[]): FileEvent[] {
	return calls.filter(({ isFailed }) => !isFailed).flatMap(eventsOf);
}

function eventsOf(call: PastCall): FileEvent[] {
	if (call.command !== undefined) return commandEvents(call.command, call.result);
	const patch = leavesOf(call.args).find((leaf) => leaf.includes('*** Begin Patch'));
	if (patch !== undefined) return patchEvents(patch);
	const { path } = call;
	const shown = linesOf(call.result).map(shownLine);
	if (path === undefined || !/\.\w+$/.test(path)) return [{ type: 'shown', path: '', lines: shown }];
	const members = memberList(call.args);
	const removed = members.filter(([key]) => oldKey.test(key)).flatMap(([, text]) => linesOf(text));
	const added = members.filter(([key]) => newKey.test(key)).flatMap(([, text]) => linesOf(text));
	if (removed.length + added.length > 0) return [changed(path, removed, added)];
	const content = members.find(([key]) => contentKey.test(key))?.[1];
	if (content !== undefined) return [{ type: 'written', path, lines: linesOf(content) }];
	return [{ type: 'shown', path, lines: shown }];
}

type ChangedFile = Extract<FileEvent, { type: 'changed' }>;

function changed(path: string, removed: readonly string[], added: readonly string[]): ChangedFile {
	const both = new Set(added.map((line) => line.trim()));
	return {
		type: 'changed',
		path,
		removed: removed.filter((line) => !both.has(line.trim())),
		added: [...added],
	};
}

/** Returns every string in a call's arguments with the name of its member, also inside lists of edits. */
export function memberList(args: unknown): [string, string][] {
	if (args === null || typeof args !== 'object') return [];
	return Object.entries(args).flatMap(([key, value]): [string, string][] =>
		typeof value === 'string' ? [[key, value]] : memberList(value),
	);
}

function patchEvents(patch: string): FileEvent[] {
	const sections = patch.split(/^\*\*\* (?=(?:Update|Add|Delete) File: )/m).slice(1);
	return sections.flatMap((section): FileEvent[] => {
		const [, verb = '', path = ''] = /^(\w+) File: (.*)/.exec(section) ?? [];
		if (verb === 'Delete') return [{ type: 'removed', path }];
		const lines = section.split('\n').slice(1);
		const side = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
		if (verb === 'Add') return [{ type: 'written', path, lines: side('+') }];
		const to = /^\*\*\* Move to: (.*)/m.exec(section)?.[1];
		const moved: FileEvent[] = to === undefined ? [] : [{ type: 'moved', path, to }];
		const edit = changed(path, side('-'), [...side('+'), ...side(' ')]);
		return [{ ...edit, isWholeLines: true }, ...moved];
	});
}

/** Returns the events of a shell command, for the few commands whose arguments determine them. */
function commandEvents(command: string, result: string): FileEvent[] {
	const pieces = command.split(/\s*(?:&&|\|\||;|\n|(?<!\|)\|(?!\|))\s*/);
	const shown = linesOf(result).map(shownLine);
	return [
		...writtenDocuments(command),
		...pieces.flatMap(pieceEvents),
		{ type: 'shown', path: shownFile(pieces), lines: shown },
	];
}

/** Returns the files that a script writes with `cat > FILE <<'EOF'`. */
function writtenDocuments(command: string): FileEvent[] {
	const documents = command.matchAll(
		/\bcat > ?["']?([^\s"'<]+)["']? <<-? ?["']?(\w+)["']?\n([\s\S]*?)\n\2(?!\w)/g,
	);
	return [...documents].map(([, path = '', , text = '']) => ({
		type: 'written',
		path,
		lines: linesOf(text),
	}));
}

/** Returns the file whose lines a script shows, if it shows only one; else empty. */
function shownFile(pieces: readonly string[]): string {
	const commands = pieces.map(wordsOf).filter(([verb = '']) => verb !== '' && verb !== 'cd');
	const [[verb = '', ...rest] = []] = commands;
	if (commands.length !== 1 || !/^(?:cat|head|tail|nl|sed|get-content)$/i.test(verb)) return '';
	const files = rest.filter((word) => /^[^-].*\.\w+$/.test(word));
	return files.length === 1 ? (files[0] ?? '').replaceAll('\\', '/') : '';
}

function wordsOf(piece: string): string[] {
	return (piece.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/s, '$2'));
}

function pieceEvents(piece: string): FileEvent[] {
	const words = wordsOf(piece);
	const start = words[0] === 'sudo' ? 1 : 0;
	const isGit = words[start] === 'git';
	const verb = words[start + (isGit ? 1 : 0)] ?? '';
	const rest = words.slice(start + (isGit ? 2 : 1)).filter((word) => !word.startsWith('-'));
	if (verb === 'rm') return rest.map((path): FileEvent => ({ type: 'removed', path }));
	if (verb === 'mv')
		return rest.length === 2 ? [{ type: 'moved', path: rest[0] ?? '', to: rest[1] ?? '' }] : [];
	if (verb === 'cp') return copies(rest);
	if (verb === 'sed' && words.some((word) => /^-\w*i/.test(word))) return substitutions(rest);
	if (!isGit) return [];
	if (verb === 'commit') return [{ type: 'committed' }];
	if (verb === 'restore') return rest.map((path): FileEvent => ({ type: 'restored', path }));
	if (verb === 'checkout')
		return rest.filter((word) => /[./]/.test(word)).map((path) => ({ type: 'restored', path }));
	if (verb === 'stash' && (rest.length === 0 || rest[0] === 'push')) return [{ type: 'stashed' }];
	if (verb === 'stash' && /^(?:pop|apply)$/.test(rest[0] ?? '')) return [{ type: 'unstashed' }];
	return [];
}

function copies(words: readonly string[]): FileEvent[] {
	const to = words.at(-1) ?? '';
	const inFolder = words.slice(0, -1).map((path) => `${to.replace(/\/$/, '')}/${path.split('/').at(-1)}`);
	return [to, ...inFolder].map((path) => ({ type: 'copied', path }));
}

/** Returns the events of a literal `s/old/new/` in named files, which removes the replaced texts. */
function substitutions([script = '', ...files]: readonly string[]): FileEvent[] {
	const [, , old, replacement] = /^s([/#|,])((?:(?!\1).)+)\1((?:(?!\1).)*)\1g?$/.exec(script) ?? [];
	if (old === undefined || replacement === undefined || /[\\^$.*[\]+?&]/.test(old + replacement)) return [];
	return files.map((path): FileEvent => ({ type: 'changed', path, removed: [old], added: [replacement] }));
}

function linesOf(text: string): string[] {
	return text.split('\n');
}

/** Returns a line of a file without what a tool prints before it: a line number, a path, or the plus of a diff. */
function shownLine(line: string): string {
	return line.replace(
		/^\s*(?:Line )?\d+(?:→|\t|\| ?|: |\. )|^(?:[^\s:]{1,200}[:-])?\d{1,7}[:-]|^\+(?!\+\+ )/,
		'',
	);
}

/** Whether two paths name the same file: one may be relative to a folder of the other. */
export function isSamePath(one: string, other: string): boolean {
	const [a, b] = [one.replace(/^\.\//, ''), other.replace(/^\.\//, '')];
	return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}
