import type { LineSpan } from './lineRange.ts';
import type { LineArguments } from './toolTables.ts';

/** The first of these arguments that holds a text that is not empty. */
export function textAt(args: Record<string, unknown>, names: readonly string[]): string | undefined {
	for (const name of names) {
		const value = args[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return undefined;
}

/** The lines that the arguments ask for; one empty range, the whole file, where they ask for none. */
export function lineRangeOf(args: Record<string, unknown>, lines: LineArguments | undefined): LineSpan[] {
	if (lines === undefined) return [{}];
	const ranges = (lines.range ?? []).flatMap((name) => rangesIn(args[name]));
	if (ranges.length > 0) return ranges;
	const head = numberAt(args, lines.head);
	if (head !== undefined) return head > 0 ? [{ from: 1, to: head }] : [{}];
	const tail = numberAt(args, lines.tail);
	if (tail !== undefined) return tail > 0 ? [{ lastLines: tail }] : [{}];
	return [countedRange(args, lines)];
}

function countedRange(args: Record<string, unknown>, lines: LineArguments): LineSpan {
	const given = numberAt(args, lines.from);
	if (given !== undefined && given < 0) return { lastLines: -given };
	const from = Math.max(1, (given ?? 0) + (lines.firstLine === 0 ? 1 : 0));
	const last = numberAt(args, lines.to);
	if (last !== undefined) {
		const to = last + (lines.firstLine === 0 ? 1 : 0);
		return last < 1 || to < from ? startingAt(from) : { from, to };
	}
	const count = numberAt(args, lines.count) ?? lines.defaultCount;
	return count === undefined || count < 1 ? startingAt(from) : { from, to: from + count - 1 };
}

function startingAt(from: number): LineSpan {
	return from > 1 ? { from } : {};
}

/** `[1, 50]`, `"1-50"`, or several of either. */
function rangesIn(value: unknown): LineSpan[] {
	if (typeof value === 'string') {
		const found = /^\s*(\d{1,9})\s*-\s*(\d{1,9})\s*$/.exec(value);
		return found === null ? [] : rangesIn([Number(found[1]), Number(found[2])]);
	}
	if (!Array.isArray(value)) return [];
	const [from, to] = value as readonly unknown[];
	if (Array.isArray(from) || typeof from === 'string') return value.flatMap(rangesIn);
	if (!isLine(from) || from < 1) return [];
	return isLine(to) && to >= from ? [{ from, to }] : [startingAt(from)];
}

function numberAt(args: Record<string, unknown>, names: readonly string[] | undefined): number | undefined {
	for (const name of names ?? []) {
		const value = args[name];
		if (isLine(value)) return value;
		if (typeof value === 'string' && /^-?\d{1,9}$/.test(value)) return Number(value);
	}
	return undefined;
}

function isLine(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value);
}
