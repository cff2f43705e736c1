import { maxPathBytes, maxTouchedPathUnits, maxTouchesPerCall } from './tuning.ts';

/** What a tool call does to a file: the lines that the result shows, or that the call changes. */
export interface FileTouch {
	kind: 'read' | 'edit';
	/** The path that the call names, normalized: forward slashes, no `./`, no trailing slash. */
	path: string;
	/** Id of the call. */
	callId: string;
	/** First line, from 1; absent: the whole file. */
	from?: number;
	/** Last line, inclusive; absent: to the end of the file. */
	to?: number;
}

/** Lines of a file, from 1, both ends inclusive; `lastLines` means the last N lines at any position. */
export interface LineSpan {
	from?: number;
	to?: number;
	lastLines?: number;
}

/** A touch that may be positioned from the end of the file. */
export type PlacedTouch = FileTouch & { lastLines?: number };

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
	const keptTouches = touches.filter(({ callId, path }) => {
		const call = calls.get(callId) ?? { count: 0, units: 0 };
		calls.set(callId, call);
		call.count++;
		call.units += path.length;
		return (
			call.count <= maxTouchesPerCall && call.units <= maxTouchedPathUnits && path.length <= maxPathBytes
		);
	});
	return keptTouches.length === touches.length ? touches : keptTouches;
}
