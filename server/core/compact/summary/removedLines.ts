/** Lines whose last word in a session was their removal by an edit: shown, they would be taken for what stands. */

import type { Slices } from '../../slices.ts';
import type { Source } from '../ledger/source.ts';
import { failedCallIds } from '../thread/failures.ts';
import type { Found } from '../thread/found.ts';
import { type LineKeys, lineKey, lineKeysOf } from '../thread/lineKeys.ts';
import { rewrittenLineSteps } from './rewritten.ts';
import { removedAtOnce } from './tuning.ts';

/** Of a session what edits removed and nothing brought back. */
export interface RemovedLines {
	has(line: string): boolean;
}

/** The lines of all sources, each read once. */
function* keySteps(sources: readonly Source[], { lineKeys }: Found): Slices<LineKeys[]> {
	const all: LineKeys[] = [];
	let read = 0;
	for (const source of sources) {
		const known = lineKeys.get(source);
		const keys = known ?? lineKeysOf(source);
		if (!known) lineKeys.set(source, keys);
		all.push(keys);
		read += known ? removedAtOnce.chars / removedAtOnce.known : source.text.length;
		if (read <= removedAtOnce.chars) continue;
		read = 0;
		yield;
	}
	return all;
}

/**
 * The lines that edits removed, in steps of some milliseconds. Sources are read from the newest to the oldest: a line
 * is removed where the last that is seen of it is the old side of an edit that did not fail, or stood in a file that was
 * written anew without it.
 */
export function* removedLineSteps(sources: readonly Source[], found: Found): Slices<RemovedLines> {
	const all = yield* keySteps(sources, found);
	const failed = failedCallIds(sources);
	const rewritten = yield* rewrittenLineSteps(sources, all, failed, found);
	/** Lines that an edit took out and of which nothing newer was seen yet. */
	const open = new Set<number>();
	for (const { calls } of all)
		for (const { id, old } of calls) if (!failed.has(id)) for (const key of old) open.add(key);
	for (const taken of rewritten.values()) for (const key of taken) open.add(key);
	const removed = new Set<number>();
	for (let index = all.length - 1; index >= 0 && open.size > 0; index--) {
		if (index % removedAtOnce.known === 0) yield;
		const { text = [], calls = [] } = all[index] ?? {};
		for (const { id, live } of calls) if (!failed.has(id)) for (const key of live) open.delete(key);
		for (const { id, old } of calls) {
			if (failed.has(id)) continue;
			for (const key of old) if (open.delete(key)) removed.add(key);
			for (const key of rewritten.get(id) ?? []) if (open.delete(key)) removed.add(key);
		}
		for (const key of text) open.delete(key);
	}
	return { has: (line) => removed.size > 0 && removed.has(lineKey(line)) };
}
