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
/** The text or variable that a script replaces. */
const replacementPattern =
	/\.replace(?:All)?\(\s{0,9}(?:("""|'''|["'`])([\s\S]{1,2000}?)\1|([A-Za-z_]\w{0,60}))\s{0,9},/g;
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
	const values = new Map(
		[...script.matchAll(assignmentPattern)].map(([, key = '', , text = '']) => [key, text]),
	);
	const written = new Map<string, boolean>();
	for (const pattern of writePatterns) {
		for (const [, text, name = '', mode] of script.matchAll(pattern)) {
			const path = text ?? values.get(name);
			if (path !== undefined && !/[\n{}$]/.test(path)) written.set(path, mode === 'a');
		}
	}
	const replaced = listReplacedWords(script, values);
	const changes = [...written].flatMap(([path, isAppending]): ShellFileChange[] => {
		if (replaced.length === 0) return isAppending ? [] : [{ type: 'rewritten', path }];
		return replaced.map((replacedWords) => ({ type: 'replaced', path, words: replacedWords }));
	});
	return { paths: [...written.keys()], changes };
}

function listReplacedWords(script: string, values: ReadonlyMap<string, string>): string[] {
	const texts = [...script.matchAll(replacementPattern)].flatMap(
		([, , text, name]) => text ?? values.get(name ?? '') ?? [],
	);
	const lines = texts
		.flatMap((text) => text.split(/\\n|\n/))
		.map((line) => line.replace(/\\(.)/g, '$1').trim());
	const patterns = [...script.matchAll(patternReplacementPattern)].flatMap(([, python, other]) =>
		findLiteralWords(`s/${(python ?? other ?? '').replaceAll('/', '\\/')}/`),
	);
	return [...lines.filter((line) => line.length >= minLineLength), ...patterns];
}
