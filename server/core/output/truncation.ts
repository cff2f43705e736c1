import { Failure } from '../failure.ts';

/** UTF-8 bytes that a tool output may have where nothing else is said. */
const DEFAULT_MAX_OUTPUT_BYTES = 51_200;
/** Lines that a tool output may have where nothing else is said. */
const DEFAULT_MAX_OUTPUT_LINES = 2_000;

/** Which end of an output is kept. */
type Direction = 'head' | 'tail' | 'both';

/** What an output may become, and what is to be said about it. */
export interface Limits {
	/** UTF-8 bytes of the content, the notice included. */
	maxBytes: number;
	/** Lines of the content, the notice included. */
	maxLines: number;
	direction: Direction;
	/** Where the whole output can be read; the notice names it. */
	savedPath?: string;
}

/** Limits as a caller names them; `undefined` and `null` mean the default. */
export type LimitOptions = { [key in keyof Limits]?: Limits[key] | null };

/** An output within its limits, and what became of the rest. */
export interface Truncation {
	/** Well-formed Unicode, within the limits. */
	content: string;
	truncated: boolean;
	/** UTF-8 bytes of the output as it came (of a file: its size). */
	originalSize: number;
	/** Lines of the output as it came; absent where they were not counted. */
	originalLines?: number;
	/** UTF-8 bytes of the output that the content holds, notices not counted. */
	keptBytes: number;
	/** The limit that was hit; absent when nothing was cut. */
	limit?: 'bytes' | 'lines';
	/** The first (head) or last (tail) line alone was too large, so a part of it was kept. */
	cutLine?: 'first' | 'last';
}

/** Limits with the defaults filled in: 51 200 bytes, 2 000 lines, the tail. Refuses what is no size. */
export function resolveLimits(options: LimitOptions): Limits {
	return {
		maxBytes: size('maxBytes', options.maxBytes ?? DEFAULT_MAX_OUTPUT_BYTES),
		maxLines: size('maxLines', options.maxLines ?? DEFAULT_MAX_OUTPUT_LINES),
		direction: options.direction ?? 'tail',
		savedPath: options.savedPath ?? undefined,
	};
}

function size(field: string, value: number): number {
	if (Number.isSafeInteger(value) && value >= 0) return value;
	throw new Failure('InvalidParams', `${field}: expected a whole number from 0 up, got ${value}`);
}
