import type { ToolCall } from '../../../protocol/conversation.ts';
import type { PlacedTouch } from '../../files/touches/lineRange.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import type { Source } from './source.ts';

/** A file that was read or changed, and which lines of it. */
export interface TouchedFile {
	path: string;
	/** Lines from 1, both ends included, joined where they meet; empty: the whole file, or unknown lines. */
	ranges: { from: number; to?: number }[];
	/** The last message that touched it. */
	seq: number;
}

/** What happened to files: a file that was changed is not listed as read, too. */
export interface TouchedFiles {
	read: TouchedFile[];
	changed: TouchedFile[];
}

/** Messages with calls that are looked at, the newest: what was touched before is history. */
const newest = 4000;

/** The files that the calls of these messages read and changed, the one touched last at the end. */
export function filesTouched(
	sources: readonly Source[],
	touched: (call: ToolCall) => readonly PlacedTouch[] = touchesOf,
): TouchedFiles {
	const read = new Map<string, TouchedFile>();
	const changed = new Map<string, TouchedFile>();
	for (const source of sources.filter((each) => each.calls.length > 0).slice(-newest)) {
		for (const call of source.calls) {
			for (const touch of touched(call)) {
				const files = touch.kind === 'edit' ? changed : read;
				const file = files.get(touch.path);
				files.delete(touch.path);
				const range = touch.from === undefined ? [] : [{ from: touch.from, to: touch.to }];
				const ranges = file === undefined ? range : joined(file.ranges, range);
				files.set(touch.path, { path: touch.path, ranges, seq: source.seq });
			}
		}
	}
	for (const path of changed.keys()) read.delete(path);
	return { read: [...read.values()], changed: [...changed.values()] };
}

/** Both sets of lines as one; the empty set stands for the whole file and swallows every other. */
function joined(some: TouchedFile['ranges'], more: TouchedFile['ranges']): TouchedFile['ranges'] {
	if (some.length === 0 || more.length === 0) return [];
	const sorted = [...some, ...more].sort((a, b) => a.from - b.from);
	const ranges: TouchedFile['ranges'] = [];
	for (const range of sorted) {
		const last = ranges.at(-1);
		if (last === undefined || (last.to !== undefined && range.from > last.to + 1)) ranges.push({ ...range });
		else if (last.to !== undefined)
			last.to = range.to === undefined ? undefined : Math.max(last.to, range.to);
	}
	return ranges;
}
