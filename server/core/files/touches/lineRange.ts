import { getOrInsert } from '../../getOrInsert.ts';
import { maxPathBytes, maxTouchedPathUnits, maxTouchesPerCall } from './tuning.ts';

/** Lines of a file; the whole file if no member is set. */
export interface LineSpan {
	/** First line, from 1. */
	from?: number;
	/** Last line, inclusive; absent: to the end of the file. */
	to?: number;
	/** Number of lines at the end of the file, whose position is unknown. */
	lastLines?: number;
}

/** What a tool call does to a file: the lines that the result shows, or that the call changes. */
export interface FileTouch extends LineSpan {
	kind: 'read' | 'edit';
	/** The path that the call names, normalized: forward slashes, no `./`, no trailing slash. */
	path: string;
	callId: string;
}

/** Returns the lines `inner`, counted within the lines `outer`, as lines of the file; undefined if unclear. */
export function narrowSpan(outer: LineSpan, inner: LineSpan): LineSpan | undefined {
	const isWholeFile = inner.from === undefined && inner.to === undefined && inner.lastLines === undefined;
	if (isWholeFile) return outer;
	if (outer.lastLines !== undefined) return undefined;
	const start = outer.from ?? 1;
	if (inner.lastLines !== undefined) {
		if (outer.to === undefined) return { lastLines: inner.lastLines };
		return { from: Math.max(start, outer.to - inner.lastLines + 1), to: outer.to };
	}
	const from = start + (inner.from ?? 1) - 1;
	const to = Math.min(outer.to ?? Infinity, inner.to === undefined ? Infinity : start + inner.to - 1);
	if (to < from) return undefined;
	return { ...(from > 1 && { from }), ...(to !== Infinity && { to, from }) };
}

/**
 * Removes touches above the limits for one call (`maxTouchesPerCall`, `maxTouchedPathUnits`). Returns the same array if
 * all are within the limits. Rows of older journals exceed the limits, so they are limited when they are read.
 */
export function limitTouches<Touch extends FileTouch>(touches: Touch[]): Touch[] {
	const calls = new Map<string, { count: number; units: number }>();
	const allowedTouches = touches.filter(({ callId, path }) => {
		const call = getOrInsert(calls, callId, () => ({ count: 0, units: 0 }));
		call.count++;
		call.units += path.length;
		return (
			call.count <= maxTouchesPerCall && call.units <= maxTouchedPathUnits && path.length <= maxPathBytes
		);
	});
	return allowedTouches.length === touches.length ? touches : allowedTouches;
}

/** Lines from 1, inclusive; to the end of the file if `to` is absent. */
export interface TouchedRange {
	from: number;
	to?: number;
}

/** Merges two sets of lines; an empty set means the whole file, and makes the result empty. */
export function mergeRanges(one: readonly TouchedRange[], other: readonly TouchedRange[]): TouchedRange[] {
	if (one.length === 0 || other.length === 0) return [];
	const sorted = [...one, ...other].sort((a, b) => a.from - b.from);
	const ranges: TouchedRange[] = [];
	for (const range of sorted) {
		const last = ranges.at(-1);
		if (last === undefined || (last.to !== undefined && range.from > last.to + 1)) ranges.push({ ...range });
		else if (last.to !== undefined)
			last.to = range.to === undefined ? undefined : Math.max(last.to, range.to);
	}
	return ranges;
}
