/** Computes keys of lines: numbers for comparing lines without storing their texts. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { listPatchedFiles, patchStart } from '../../files/touches/patch.ts';
import { isFields } from '../../shape.ts';
import { hashRange } from '../text/hashes.ts';
import { oldSideNamePattern, type Source } from './source.ts';

/** Minimum length of a line with a key. Shorter lines appear in too many files. UTF-16 units. */
const minLineLength = 8;

/** How a call changed its file: by writing a new text, or by replacing words inside lines. */
export type Rewriting = { kind: 'whole' } | { kind: 'words'; old: string };

/** The keys of the lines that an edit removes, and of all other lines in it (`liveKeys`). */
interface EditKeys {
	removedKeys: number[];
	liveKeys: number[];
}

/** The keys of the lines in a call. */
export interface CallKeys extends EditKeys {
	call: ToolCall;
	rewriting?: Rewriting;
	/** The parts of an `apply_patch` patch, whose keys are only here. */
	blocks: BlockKeys[];
}

/** The keys of a source's lines, without the lines that are too short. */
export interface LineKeys {
	/** Keys of the lines of the source's text. */
	text: number[];
	/** Keys of the lines in each call that has lines in its arguments or rewrites a file. */
	calls: CallKeys[];
	/** Keys of the SEARCH/REPLACE blocks in an agent's answer. */
	blocks: BlockKeys[];
}

/** The keys of both sides of a SEARCH/REPLACE block or of a part of a patch, and the file that is named above it. */
export interface BlockKeys extends EditKeys {
	path: string;
	rewriting?: Rewriting;
}

/** The start of a line before its text: its number, also in results of searches, and marks of lists, quotes and diffs. */
const lineMarkPattern =
	/^\s*(?:(?:Line )?\d+[\t:.\-|→]|(?:[A-Za-z]:)?[^\s:"'`]{1,200}[:-]\d{1,7}[:-])?[\s>*#+-]*/;
/** White space other than a single space. Only such white space must be replaced. */
const unevenSpacePattern = /\s{2,}|[^\S ]/g;

/**
 * Returns the key of a line; 0 if the line is short. Lines that differ only in number, leading marks, spaces and a comma
 * at the end have equal keys. The keys of different lines collide with a probability of 2^-52.
 */
export function computeLineKey(line: string): number {
	if (line.length < minLineLength) return 0;
	const spaced = line.replace(lineMarkPattern, '').replace(unevenSpacePattern, ' ').trimEnd();
	const words = spaced.endsWith(',') ? spaced.slice(0, -1) : spaced;
	return words.length < minLineLength ? 0 : hashRange(words);
}

/** Returns the keys of lines, without those of short lines. */
export function computeLineKeys(lines: readonly string[]): number[] {
	return lines.map(computeLineKey).filter((key) => key !== 0);
}

const patchPattern = /^\*\*\* (?:Begin Patch|Update File)|^@@ |^--- |^<<<<<<< SEARCH/m;

/** Adds the keys of both sides of an edit. `name` is the argument that contains the value. */
function addEditKeys(sides: EditKeys & { blocks: BlockKeys[] }, value: unknown, name = ''): void {
	if (typeof value === 'string') {
		if (value.includes(patchStart)) sides.blocks.push(...collectPatchedKeys(value));
		else if (patchPattern.test(value)) addPatchKeys(sides, value);
		else
			for (const key of computeLineKeys(value.split('\n')))
				(oldSideNamePattern.test(name) ? sides.removedKeys : sides.liveKeys).push(key);
	} else if (typeof value === 'object' && value !== null) {
		for (const [key, one] of Object.entries(value))
			addEditKeys(sides, one, Array.isArray(value) ? name : key);
	}
}

function addPatchKeys({ removedKeys, liveKeys }: EditKeys, patch: string): void {
	let searching = false;
	for (const line of patch.split('\n')) {
		const key = computeLineKey(line.replace(/^[+-]/, ''));
		if (line.startsWith('<<<<<<< SEARCH')) searching = true;
		else if (line.startsWith('=======')) searching = false;
		else if (key !== 0) (searching || line.startsWith('-') ? removedKeys : liveKeys).push(key);
	}
}

/** Returns the keys of each file's part of an `apply_patch` patch; those of a moved file have its new path. */
function collectPatchedKeys(patch: string): BlockKeys[] {
	return listPatchedFiles(patch).map(({ from, to, path, isNew }) => {
		const part = patch.slice(from, to);
		const block: BlockKeys = {
			path,
			removedKeys: [],
			liveKeys: [],
			...(isNew && { rewriting: { kind: 'whole' } }),
		};
		addPatchKeys(block, part.slice(part.indexOf('\n') + 1));
		return block;
	});
}

/** Maximum length of a line that names the file of a block. UTF-16 units. */
const maxPathLength = 300;

/** Returns the keys of the complete SEARCH/REPLACE blocks in a text. O(length of the text). */
function collectBlockKeys(text: string): BlockKeys[] {
	if (!text.includes('<<<<<<< SEARCH')) return [];
	const blocks: BlockKeys[] = [];
	let path = '';
	let before: string[] | undefined;
	let after: string[] | undefined;
	for (const line of text.split('\n')) {
		const mark = line.slice(0, maxPathLength).trimEnd();
		if (mark === '<<<<<<< SEARCH') [before, after] = [[], undefined];
		else if (before && after && mark === '>>>>>>> REPLACE') {
			blocks.push({ path, removedKeys: computeLineKeys(before), liveKeys: computeLineKeys(after) });
			[before, after] = [undefined, undefined];
		} else if (before && !after && mark === '=======') after = [];
		else if (before) (after ?? before).push(line);
		else if (mark !== '' && !mark.startsWith('```'))
			path = mark.replace(/^[\s*`#]+|(?<![\s*`:])[\s*`:]+$/g, '');
	}
	return blocks;
}

/** Names of arguments that contain the whole new text of a file. */
const wholeTextNames = ['content', 'contents', 'file_text'];

function findRewriting(args: unknown): Rewriting | undefined {
	if (!isFields(args)) return undefined;
	const names = Object.keys(args);
	const oldName = names.find((name) => oldSideNamePattern.test(name));
	if (oldName === undefined)
		return names.some((name) => wholeTextNames.includes(name)) ? { kind: 'whole' } : undefined;
	const words = args[oldName];
	const isPart = typeof words === 'string' && words.trim() !== '' && !words.includes('\n');
	return isPart ? { kind: 'words', old: words } : undefined;
}

/** Returns the keys of a source's lines. O(length of the source). */
export function collectLineKeys({ text, calls, role, thoughtLength }: Source): LineKeys {
	const patchKeys: number[] = [];
	const isPatch = role === 'tool' && patchPattern.test(text);
	if (isPatch) addPatchKeys({ removedKeys: [], liveKeys: patchKeys }, text);
	return {
		text: isPatch ? patchKeys : computeLineKeys(text.split('\n')),
		calls: calls.flatMap((call) => {
			const rewriting = findRewriting(call.args);
			const keys: CallKeys = { call, removedKeys: [], liveKeys: [], rewriting, blocks: [] };
			addEditKeys(keys, call.args);
			const hasKeys = keys.removedKeys.length + keys.liveKeys.length + keys.blocks.length > 0;
			return rewriting || hasKeys ? [keys] : [];
		}),
		blocks: role === 'assistant' ? collectBlockKeys(text.slice(thoughtLength ?? 0)) : [],
	};
}
