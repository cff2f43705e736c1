/** The lines of a message as numbers, which can be compared without storing or creating their texts. */

import { isFields } from '../shape.ts';
import { oldSideNames, type Source } from './source.ts';

/** Shorter lines appear in too many places to be compared. UTF-16 units. */
const minLineLength = 12;

/** How a call changed its file: gave it a new text, or replaced some words within lines. */
export type Rewriting = { kind: 'whole' } | { kind: 'words'; old: string };

/** The keys of the lines in a call. */
export interface CallKeys {
	id: string;
	/** Lines that an edit removes. */
	old: Float64Array;
	/** All other lines. */
	live: Float64Array;
	rewriting?: Rewriting;
}

/** The keys of all lines in a source that are long enough, as `lineKey` returns them. */
export interface LineKeys {
	/** Lines of its own text. */
	text: Float64Array;
	/** Keys of each call whose arguments contain lines or rewrite a file. */
	calls: CallKeys[];
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

/** Spaces outside of ASCII and the block from U+2000. */
const rareSpaces = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];

/** What `\s` matches. */
function isSpace(code: number): boolean {
	if (code < 128) return code === 32 || (code >= 9 && code <= 13);
	return (code >= 0x2000 && code <= 0x200a) || rareSpaces.includes(code);
}

/** Marks of lists, quotes, headings and diffs: `> * # + -`. */
function isMark(code: number): boolean {
	return code === 62 || code === 42 || code === 35 || code === 43 || code === 45;
}

/** Returns where a line's words begin, after its number and marks. */
function wordsFrom(text: string, from: number, to: number): number {
	let start = from;
	while (start < to && isSpace(text.charCodeAt(start))) start++;
	let end = start;
	while (end < to && isDigit(text.charCodeAt(end))) end++;
	const mark = text.charCodeAt(end);
	// After a number: tab, colon, stop, dash, bar or arrow.
	const isNumber = mark === 9 || mark === 58 || mark === 46 || mark === 45 || mark === 124 || mark === 0x2192;
	if (end > start && end < to && isNumber) start = end + 1;
	while (start < to && (isSpace(text.charCodeAt(start)) || isMark(text.charCodeAt(start)))) start++;
	return start;
}

/**
 * Returns the key of the line between two positions of a text (UTF-16 units), or 0 if it is short. Equal for lines
 * that differ only in their number, leading marks and spaces; two others collide once in 2^52.
 */
export function lineKey(text: string, from = 0, to = text.length): number {
	// FNV-1a next to a second multiplier (from the golden ratio), so that the two halves fail independently.
	let first = 0x811c9dc5 | 0;
	let second = 0;
	let length = 0;
	let spaced = false;
	for (let index = wordsFrom(text, from, to); index < to; index++) {
		const code = text.charCodeAt(index);
		if (isSpace(code)) {
			spaced = true;
			continue;
		}
		if (spaced) {
			first = Math.imul(first ^ 32, 0x01000193);
			second = Math.imul(second, 0x9e3779b1) + 32;
			length++;
			spaced = false;
		}
		first = Math.imul(first ^ code, 0x01000193);
		second = (Math.imul(second, 0x9e3779b1) + code) | 0;
		length++;
	}
	if (length < minLineLength) return 0;
	second ^= second >>> 15;
	return (first >>> 0) * 2 ** 20 + ((second >>> 0) & 0xfffff);
}

function pushKeys(keys: number[], text: string): void {
	for (let from = 0; from <= text.length; ) {
		const found = text.indexOf('\n', from);
		const to = found < 0 ? text.length : found;
		const key = to - from < minLineLength ? 0 : lineKey(text, from, to);
		if (key !== 0) keys.push(key);
		from = to + 1;
	}
}

/** The keys of both sides of an edit. */
interface Sides {
	old: number[];
	live: number[];
}

const patched = /^\*\*\* (?:Begin Patch|Update File)|^@@ |^--- |^<<<<<<< SEARCH/m;

function pushSides(sides: Sides, value: unknown, name = ''): void {
	if (typeof value === 'string') {
		if (patched.test(value)) pushPatch(sides, value);
		else pushKeys(oldSideNames.test(name) ? sides.old : sides.live, value);
	} else if (typeof value === 'object' && value !== null) {
		for (const [key, one] of Object.entries(value)) pushSides(sides, one, Array.isArray(value) ? name : key);
	}
}

function pushPatch({ old, live }: Sides, patch: string): void {
	let searching = false;
	for (const line of patch.split('\n')) {
		if (line.startsWith('<<<<<<< SEARCH')) searching = true;
		else if (line.startsWith('=======')) searching = false;
		else pushKeys(searching || line.startsWith('-') ? old : live, line.replace(/^[+-]/, ''));
	}
}

/** Arguments that hold the whole new text of a file. */
const wholeTexts = ['content', 'contents', 'file_text'];

function rewritingOf(args: unknown): Rewriting | undefined {
	if (!isFields(args)) return undefined;
	const names = Object.keys(args);
	const old = names.find((name) => oldSideNames.test(name));
	if (old === undefined)
		return names.some((name) => wholeTexts.includes(name)) ? { kind: 'whole' } : undefined;
	const words = args[old];
	const isPart = typeof words === 'string' && words.trim() !== '' && !words.includes('\n');
	if (!isPart) return undefined;
	return { kind: 'words', old: words };
}

/** Returns the keys of the lines of a text that contain some words. */
export function keysOfLinesWith(text: string, words: string): number[] {
	const keys: number[] = [];
	for (let at = text.indexOf(words); at >= 0; ) {
		const end = text.indexOf('\n', at);
		const to = end < 0 ? text.length : end;
		pushKeys(keys, text.slice(text.lastIndexOf('\n', at) + 1, to));
		at = text.indexOf(words, to);
	}
	return keys;
}

/** Returns the keys of a source's lines. O(its length). */
export function lineKeysOf({ text, calls, role }: Source): LineKeys {
	const keys: number[] = [];
	if (role === 'tool' && patched.test(text)) pushPatch({ old: [], live: keys }, text);
	else pushKeys(keys, text);
	const found: LineKeys = { text: Float64Array.from(keys), calls: [] };
	for (const { id, args } of calls) {
		const sides: Sides = { old: [], live: [] };
		pushSides(sides, args);
		const rewriting = rewritingOf(args);
		if (sides.old.length + sides.live.length === 0 && rewriting === undefined) continue;
		const [old, live] = [Float64Array.from(sides.old), Float64Array.from(sides.live)];
		found.calls.push({ id, old, live, ...(rewriting && { rewriting }) });
	}
	return found;
}
