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
/** A variable that goes through a list of texts, and these texts. */
const loopPattern =
	/\bfor\s{1,9}(?:\((?:const|let|var)\s{1,9})?([A-Za-z_]\w{0,60})\s{1,9}(?:in|of)\s{1,9}[[(]((?:\s{0,20}["'][^"'\n]{1,300}["'],?){1,40})\s{0,20}[\])]/g;
const listedTextPattern = /["']([^"'\n]{1,300})["']/g;
/** An assignment to a variable, and the other variable whose text it has as a path. */
const anyAssignmentPattern =
	/(?<![\w.])([A-Za-z_]\w{0,60})\s{0,9}=(?!=)(?:\s{0,9}(?:pathlib\.)?Path\(\s{0,9}([A-Za-z_]\w{0,60})\s{0,9}\))?/g;
/** A call that reads a file. */
const readPattern =
	/\.read(?:_text|_bytes|lines)?\(|\breadFile(?:Sync)?\(|\bload\(|\bopen\([^(),\n]{1,200}\)/;
/** Minimum length of a line among replaced lines that identifies lines. UTF-16 units. */
const minLineLength = 5;

/** A file that an inline script writes. */
export interface InlineWrites {
	paths: string[];
	changes: ShellFileChange[];
}

/** Returns the script that a command passes to an interpreter, as an option or as a here-document; undefined if it passes none. */
function getInlineCode({ words: [program, ...words], document }: ShellCommand): string | undefined {
	if (!interpreterPattern.test(program?.text ?? '')) return undefined;
	const option = words.findIndex(({ text }) => /^(?:-\w*[ce]|--eval)$/.test(text));
	return option < 0 ? document : words[option + 1]?.text;
}

/** Returns what the script inside a command writes; nothing if the command runs no script of its own. */
export function findInlineWrites(command: ShellCommand): InlineWrites {
	const code = getInlineCode(command);
	if (code === undefined || !/write|open/.test(code)) return { paths: [], changes: [] };
	const script = code.slice(0, maxScriptLength);
	const findTexts = createTextFinder(script);
	const writes = writePatterns
		.flatMap((pattern) => [...script.matchAll(pattern)])
		.filter(({ index }) => !isComment(script, index))
		.sort((a, b) => a.index - b.index)
		.flatMap(({ 1: text, 2: name = '', 3: mode, index }) =>
			(text === undefined ? findTexts(name, index) : [text])
				.filter((path) => !/[\n{}$]/.test(path))
				.map((path) => ({ path, index, isAppending: mode === 'a' })),
		);
	const replaced = listReplacedWords(script, findTexts);
	// A script that replaces words of several files does so right before it writes each of them.
	const ownWords = writes.map(({ index }) => {
		const start = writes.findLast((one) => one.index < index)?.index ?? 0;
		return replaced.filter((one) => one.index >= start && one.index < index);
	});
	const hasOwnWords = ownWords.every((own) => own.length > 0);
	const changes = writes.flatMap(({ path, isAppending }, at): ShellFileChange[] => {
		// Of a text that a script reads and writes again, it is not known what the script changed.
		if (replaced.length === 0)
			return isAppending || readPattern.test(script) ? [] : [{ type: 'rewritten', path }];
		const own = (hasOwnWords ? ownWords[at] : replaced) ?? [];
		return own.map(({ words: removed, isLine }) => ({ type: 'replaced', path, words: removed, isLine }));
	});
	return { paths: [...new Set(writes.map(({ path }) => path))], changes };
}

/** Returns the texts that a variable may have at an index of the script; none if it has another value. */
type FindTexts = (name: string, index: number) => readonly string[];

/** Whether an index of a script is in a line that is a comment of Python or JavaScript. */
function isComment(script: string, index: number): boolean {
	const line = script.slice(script.lastIndexOf('\n', index - 1) + 1, index);
	return /^\s*(?:#|\/\/)/.test(line);
}

/** Returns a function that finds the texts of the variables to which a script assigns texts, or which go through a list of texts. */
function createTextFinder(script: string): FindTexts {
	const texts = new Map(
		[...script.matchAll(assignmentPattern)].map(({ 3: text = '', index }) => [index, [text]]),
	);
	const assigned = [...script.matchAll(anyAssignmentPattern)].map(({ 1: name = '', 2: origin, index }) => ({
		name,
		texts: texts.get(index) ?? [],
		origin,
		index,
	}));
	const loops = [...script.matchAll(loopPattern)].map(({ 1: name = '', 2: list = '', index }) => ({
		name,
		texts: Array.from(list.matchAll(listedTextPattern), ([, text = '']) => text),
		origin: undefined,
		index,
	}));
	const known = [...assigned, ...loops].sort((a, b) => a.index - b.index);
	return (name, index) => {
		const found = known.findLast((one) => one.name === name && one.index < index);
		const { texts: own = [], origin } = found ?? {};
		return origin === undefined
			? own
			: (known.findLast((one) => one.name === origin && one.index < index)?.texts ?? []);
	};
}

/** Words that a script replaces, or a whole line, with the position in the script. */
interface ReplacedWords {
	words: string;
	isLine: boolean;
	index: number;
}

/** Returns the lines and the words that a script replaces, without lines that it writes again. */
function listReplacedWords(script: string, findTexts: FindTexts): ReplacedWords[] {
	const toLines = (text = ''): string[] =>
		text.split(/\\n|\n/).map((line) => line.replace(/\\(.)/g, '$1').trim());
	const replacements = [...script.matchAll(replacementPattern)].filter(
		({ index }) => !isComment(script, index),
	);
	const lines = replacements.flatMap((match) => {
		const { 2: oldText, 3: oldName = '', 5: newText, 6: newName = '', index } = match;
		const written = new Set(toLines(newText ?? findTexts(newName, index)[0]));
		const old = toLines(oldText ?? findTexts(oldName, index)[0]);
		return old
			.filter((line) => line.length >= minLineLength && !written.has(line))
			.map((words) => ({ words, isLine: old.length > 1, index }));
	});
	const patterns = [...script.matchAll(patternReplacementPattern)].flatMap(({ 1: python, 2: other, index }) =>
		findLiteralWords(`s/${(python ?? other ?? '').replaceAll('/', '\\/')}/`).map((words) => ({
			words,
			isLine: false,
			index,
		})),
	);
	return [...lines, ...patterns];
}
