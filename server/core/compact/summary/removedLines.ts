/** Lines whose last word in a session was their removal by an edit: shown, they would be taken for what stands. */

import { oldSideNames, type Source } from '../ledger/source.ts';
import type { Steps } from '../ledger/steps.ts';

/** Shorter lines stand in too many places to be told apart. UTF-16 units. */
const shortest = 12;

function plainLine(line: string): string {
	return line
		.replace(/^\s*\d+(?:→|\t|\||[:.-] ?)/, '')
		.replace(/^[\s>*#+-]+/, '')
		.replace(/\s+/g, ' ')
		.trim();
}

/** The lines of an edit's old side and of all else that a call's arguments hold. */
function* sides(value: unknown, name = ''): Generator<{ old: boolean; text: string }> {
	if (typeof value === 'string') {
		if (/^\*\*\* (?:Begin Patch|Update File)|^@@ |^--- |^<<<<<<< SEARCH/m.test(value))
			yield* patchSides(value);
		else for (const text of value.split('\n')) yield { old: oldSideNames.test(name), text };
	} else if (typeof value === 'object' && value !== null) {
		for (const [key, one] of Object.entries(value)) yield* sides(one, Array.isArray(value) ? name : key);
	}
}

function* patchSides(patch: string): Generator<{ old: boolean; text: string }> {
	let searching = false;
	for (const line of patch.split('\n')) {
		if (line.startsWith('<<<<<<< SEARCH')) searching = true;
		else if (line.startsWith('=======')) searching = false;
		else yield { old: searching || line.startsWith('-'), text: line.replace(/^[+-]/, '') };
	}
}

/** Of a session what edits removed and nothing brought back. */
export interface RemovedLines {
	has(line: string): boolean;
}

/** What the edits of a message took out and put in. */
interface Edited {
	old: string[];
	live: string[];
}

/** UTF-16 units that are read in one step. */
const readAtOnce = 200_000;

function* editSteps(sources: readonly Source[]): Steps<Map<Source, Edited>> {
	const failed = new Set<string>();
	for (const { isError, toolCallId } of sources)
		if (isError && toolCallId !== undefined) failed.add(toolCallId);
	const edits = new Map<Source, Edited>();
	for (const [index, source] of sources.entries()) {
		if (index % 500 === 499) yield;
		if (source.calls.length === 0) continue;
		const edited: Edited = { old: [], live: [] };
		for (const call of source.calls) {
			if (failed.has(call.id)) continue;
			for (const { old, text } of sides(call.args)) {
				const line = plainLine(text);
				if (line.length >= shortest) edited[old ? 'old' : 'live'].push(line);
			}
		}
		edits.set(source, edited);
	}
	return edits;
}

/**
 * The lines that edits removed, in steps of some milliseconds. Sources are read from the newest to the oldest: a line
 * is removed where the last that is seen of it is the old side of an edit that did not fail.
 */
export function* removedLineSteps(sources: readonly Source[]): Steps<RemovedLines> {
	const edits = yield* editSteps(sources);
	const candidates = new Set([...edits.values()].flatMap(({ old }) => old));
	const removed = new Set<string>();
	const settled = new Set<string>();
	const see = (line: string, isOld: boolean): void => {
		if (!candidates.has(line) || settled.has(line)) return;
		settled.add(line);
		if (isOld) removed.add(line);
	};
	let read = 0;
	for (let index = sources.length - 1; index >= 0 && settled.size < candidates.size; index--) {
		const source = sources[index];
		if (!source) continue;
		read += source.text.length;
		if (read > readAtOnce) {
			read = 0;
			yield;
		}
		const { live = [], old = [] } = edits.get(source) ?? {};
		for (const line of live) see(line, false);
		for (const line of old) see(line, true);
		for (const line of source.text.split('\n')) if (line.length >= shortest) see(plainLine(line), false);
	}
	return { has: (line) => removed.size > 0 && removed.has(plainLine(line)) };
}
