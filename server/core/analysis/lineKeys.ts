/** Computes keys of lines: numbers that can be compared without storing the texts of the lines. */

import { isFields } from '../shape.ts';
import { hashRange } from './hash.ts';
import { oldSideNames, type Source } from './source.ts';

/** Minimum length of a line that gets a key: shorter ones appear in too many places. UTF-16 units. */
const minLineLength = 12;

/** How a call changed its file: by writing a new text, or by replacing some words within lines. */
export type Rewriting = { kind: 'whole' } | { kind: 'words'; old: string };

/** The keys of the lines in a call: the lines that an edit removes (`old`), and all other lines (`live`). */
export interface CallKeys {
	callId: string;
	old: number[];
	liveKeys: number[];
	rewriting?: Rewriting;
}

/** The keys of all lines in a source that are long enough, as `computeLineKey` returns them. */
export interface LineKeys {
	/** Keys of the lines of the source's text. */
	text: number[];
	/** Keys of each call whose arguments contain lines or rewrite a file. */
	calls: CallKeys[];
}

/** What precedes a line's words: its number, and marks of lists, quotes, headings and diffs. */
const lineMarks = /^\s*(?:\d+[\t:.\-|→])?[\s>*#+-]*/;

/**
 * Returns the key of a line; 0 if the line is short. Equal for lines that differ only in their number, leading marks and
 * spaces; other lines have equal keys by chance once in 2^52.
 */
export function computeLineKey(line: string): number {
	if (line.length < minLineLength) return 0;
	const words = line.replace(lineMarks, '').replace(/\s+/g, ' ').trimEnd();
	return words.length < minLineLength ? 0 : hashRange(words);
}

function computeLineKeys(lines: readonly string[]): number[] {
	return lines.map(computeLineKey).filter((key) => key !== 0);
}

/** Returns the keys of the lines of a text that contain some words. */
export function findKeysOfLinesWith(text: string, words: string): number[] {
	return computeLineKeys(text.split('\n').filter((line) => line.includes(words)));
}

const patchSyntax = /^\*\*\* (?:Begin Patch|Update File)|^@@ |^--- |^<<<<<<< SEARCH/m;

/** Adds the keys of both sides of an edit. `name` is the argument that contains the value. */
function addEditKeys(sides: Pick<CallKeys, 'old' | 'liveKeys'>, value: unknown, name = ''): void {
	if (typeof value === 'string') {
		if (patchSyntax.test(value)) addPatchKeys(sides, value);
		else
			for (const key of computeLineKeys(value.split('\n')))
				(oldSideNames.test(name) ? sides.old : sides.liveKeys).push(key);
	} else if (typeof value === 'object' && value !== null) {
		for (const [key, one] of Object.entries(value))
			addEditKeys(sides, one, Array.isArray(value) ? name : key);
	}
}

function addPatchKeys({ old, liveKeys }: Pick<CallKeys, 'old' | 'liveKeys'>, patch: string): void {
	let searching = false;
	for (const line of patch.split('\n')) {
		const key = computeLineKey(line.replace(/^[+-]/, ''));
		if (line.startsWith('<<<<<<< SEARCH')) searching = true;
		else if (line.startsWith('=======')) searching = false;
		else if (key !== 0) (searching || line.startsWith('-') ? old : liveKeys).push(key);
	}
}

/** Names of arguments with the whole new text of a file. */
const wholeTextNames = ['content', 'contents', 'file_text'];

function findRewriting(args: unknown): Rewriting | undefined {
	if (!isFields(args)) return undefined;
	const names = Object.keys(args);
	const old = names.find((name) => oldSideNames.test(name));
	if (old === undefined)
		return names.some((name) => wholeTextNames.includes(name)) ? { kind: 'whole' } : undefined;
	const words = args[old];
	const isPart = typeof words === 'string' && words.trim() !== '' && !words.includes('\n');
	return isPart ? { kind: 'words', old: words } : undefined;
}

/** Returns the keys of a source's lines. O(length of the source). */
export function collectLineKeys({ text, calls, role }: Source): LineKeys {
	const own: number[] = [];
	const isPatch = role === 'tool' && patchSyntax.test(text);
	if (isPatch) addPatchKeys({ old: [], liveKeys: own }, text);
	return {
		text: isPatch ? own : computeLineKeys(text.split('\n')),
		calls: calls.flatMap(({ id: callId, args }) => {
			const keys: CallKeys = { callId, old: [], liveKeys: [], rewriting: findRewriting(args) };
			addEditKeys(keys, args);
			return keys.old.length + keys.liveKeys.length === 0 && keys.rewriting === undefined ? [] : [keys];
		}),
	};
}
