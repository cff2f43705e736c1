/** Finds the files that a Python or Node.js script inside a command writes, and the words that it replaces in them. */

import { findLiteralWords, type ShellFileChange } from './fileChanges.ts';
import type { ShellCommand } from './script.ts';

const interpreterPattern = /^(?:.*\/)?(?:python[\d.]*|node|bun|deno)$/;
/** Longer scripts are judged by their beginning of this length. UTF-16 units. */
const maxScriptLength = 20_000;
/**
 * Calls that write a file, which is a text or a variable, perhaps as the argument of `Path`. The groups are the text, the
 * variable, and the mode in which the file is opened.
 */
const writePatterns = [
	/\bopen\(\s{0,9}(?:(?:pathlib\.)?Path\(\s{0,9})?(?:["'`]([^"'`\n]{1,300})["'`]|([A-Za-z_]\w{0,60}))\s{0,9}\)?\s{0,9},\s{0,9}(?:mode\s{0,9}=\s{0,9})?["']([wxa])/g,
	/(?<![\w.])(?:(?:pathlib\.)?Path\(\s{0,9})?(?:["'`]([^"'`\n]{1,300})["'`]|([A-Za-z_]\w{0,60}))\s{0,9}\)?\.(?:write_(?:text|bytes)\(|open\(\s{0,9}["']([wxa]))/g,
	/\bwriteFile(?:Sync)?\(\s{0,9}(?:["'`]([^"'`\n]{1,300})["'`]|([A-Za-z_]\w{0,60}))\s{0,9},/g,
] as const;
/** A text that a script assigns to a variable. */
const assignmentPattern =
	/(?<![\w.])([A-Za-z_]\w{0,60})\s{0,9}=\s{0,9}(?:(?:pathlib\.)?Path\(\s{0,9})?[rb]?("""|'''|["'`])([\s\S]{1,2000}?)\2/g;
/** The texts or variables that a script replaces and writes instead. */
const replacementPattern =
	/\.replace(?:All)?\(\s{0,9}(?:("""|'''|["'`])([\s\S]{1,2000}?)\1|([A-Za-z_]\w{0,60}))\s{0,9},\s{0,9}(?:("""|'''|["'`])([\s\S]{0,2000}?)\4|([A-Za-z_]\w{0,60}))?/g;
/** The pattern that a script replaces, of Python or JavaScript. */
const patternReplacementPattern =
	/\bre\.subn?\(\s{0,9}r?["']([^"'\n]{1,300})["']|\.replace(?:All)?\(\s{0,9}\/((?:\\.|[^\\/\n]){1,300})\//g;
/** Minimum length of a line among replaced lines that identifies lines. UTF-16 units. */
const minLineLength = 5;

/** A file that an inline script writes. */
export interface InlineWrites {
	paths: string[];
	changes: ShellFileChange[];
}

/** Returns what the script inside a command writes; nothing if the command runs no script of its own. */
export function findInlineWrites(command: ShellCommand): InlineWrites {
	const none = { paths: [], changes: [] };
	const [program = '', ...words] = command.words.map(({ text }) => text);
	if (!interpreterPattern.test(program)) return none;
	const option = words.findIndex((word) => /^(?:-\w*[ce]|--eval)$/.test(word));
	const code = option < 0 ? command.document : words[option + 1];
	if (code === undefined || !/write|open/.test(code)) return none;
	const script = code.slice(0, maxScriptLength);
	const assignments = [...script.matchAll(assignmentPattern)].map(
		({ 1: name = '', 3: text = '', index }) => ({ name, text, index }),
	);
	const findValue: FindValue = (name = '', index = Infinity) =>
		assignments.findLast((one) => one.name === name && one.index < index)?.text;
	const writes = writePatterns
		.flatMap((pattern) => [...script.matchAll(pattern)])
		.sort((a, b) => a.index - b.index)
		.flatMap(({ 1: text, 2: name, 3: mode, index }) => {
			const path = text ?? findValue(name, index);
			return path === undefined || /[\n{}$]/.test(path) ? [] : [{ path, index, isAppending: mode === 'a' }];
		});
	const replaced = listReplacedWords(script, findValue);
	// A script that replaces words of several files does so right before it writes each of them.
	const ownWords = writes.map(({ index }, at) => {
		const start = writes[at - 1]?.index ?? 0;
		return replaced.filter((one) => one.index >= start && one.index < index);
	});
	const hasOwnWords = ownWords.every((own) => own.length > 0);
	const changes = writes.flatMap(({ path, isAppending }, at): ShellFileChange[] => {
		if (replaced.length === 0) return isAppending ? [] : [{ type: 'rewritten', path }];
		const own = (hasOwnWords ? ownWords[at] : replaced) ?? [];
		return own.map((one) => ({ type: 'replaced', path, words: one.words }));
	});
	return { paths: [...new Set(writes.map(({ path }) => path))], changes };
}

/** Returns the text of a variable before an index of the script; undefined if it has another value. */
type FindValue = (name?: string, index?: number) => string | undefined;

/** Returns the lines and the words that a script replaces, without lines that it writes again, with their positions. */
function listReplacedWords(script: string, findValue: FindValue): { words: string; index: number }[] {
	const toLines = (text = ''): string[] =>
		text.split(/\\n|\n/).map((line) => line.replace(/\\(.)/g, '$1').trim());
	const lines = [...script.matchAll(replacementPattern)].flatMap((match) => {
		const { 2: oldText, 3: oldName, 5: newText, 6: newName, index } = match;
		const written = new Set(toLines(newText ?? findValue(newName, index)));
		return toLines(oldText ?? findValue(oldName, index))
			.filter((line) => line.length >= minLineLength && !written.has(line))
			.map((words) => ({ words, index }));
	});
	const patterns = [...script.matchAll(patternReplacementPattern)].flatMap(({ 1: python, 2: other, index }) =>
		findLiteralWords(`s/${(python ?? other ?? '').replaceAll('/', '\\/')}/`).map((words) => ({
			words,
			index,
		})),
	);
	return [...lines, ...patterns];
}
