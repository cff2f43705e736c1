import type { ToolCall } from '../../protocol/conversation.ts';
import { isFields } from '../shape.ts';
import type { FileRule, LineArguments, ShellRule, ToolTables } from '../transcript/reading/tools.ts';
import { defaultToolTables } from './touches/defaultTables.ts';
import { findShownLines } from './touches/gutter.ts';
import { type LineSpan, limitTouches, type PlacedTouch } from './touches/lineRange.ts';
import { patchedPaths, pathsRemovedByPatch } from './touches/patch.ts';
import { resolveFilePath } from './touches/path.ts';
import type { ShellFileChange } from './touches/shell/fileChanges.ts';
import { shellAccess } from './touches/shell/shellTouches.ts';
import { maxTouchesPerCall } from './touches/tuning.ts';

/**
 * A tool's name as in the tables: without a server's prefix (`server__tool`, `server.tool`), case, `_`
 * and `-`.
 */
function tableName(name: string): string {
	const parts = name.split(/__|[.:/]/);
	const last = parts.findLast((part) => part !== '') ?? name;
	return last.toLowerCase().replaceAll(/[_\- ]/g, '');
}

/** Names under which to look up a tool. `server-tool` is also looked up without its server. */
function tableNames(name: string): string[] {
	const dash = name.indexOf('-');
	return dash < 0 ? [tableName(name)] : [tableName(name), tableName(name.slice(dash + 1))];
}

function toolRow<Row>(rows: Readonly<Record<string, Row>>, names: readonly string[]): Row | undefined {
	const found = names.find((name) => Object.hasOwn(rows, name));
	return found === undefined ? undefined : rows[found];
}

/** Returns where a tool's calls name a shell command; undefined if the tool runs none. */
export function findShellRule(
	toolName: string,
	tables: Required<ToolTables> = defaultToolTables,
): ShellRule | undefined {
	return toolRow(tables.shells, tableNames(toolName));
}

/** Effects of a call on files. */
export interface FileAccess {
	touches: PlacedTouch[];
	/** Whether the result can only show lines of the files read, so that a later read can replace it. */
	onlyFiles: boolean;
	/** Files and folders that no longer exist after the call, if it succeeds. */
	gone: string[];
	/** Further changes of files, in order, if the call succeeds. */
	changes: ShellFileChange[];
}

const noEffects = { gone: [], changes: [] };

/**
 * Returns the files that a tool call reads or edits, from its arguments alone; empty if they name
 * none. Returns at most `maxTouchesPerCall`; no path is longer than `maxPathBytes`. Relative paths are resolved
 * against `folder`, if given.
 */
export function touchesOf(
	call: ToolCall,
	tables: Required<ToolTables> = defaultToolTables,
	folder?: string,
): PlacedTouch[] {
	return fileAccessOf(call, tables, folder).touches;
}

/** Like `touchesOf`, plus the files that the call removes and whether its result shows anything else. */
export function fileAccessOf(
	call: ToolCall,
	tables: Required<ToolTables> = defaultToolTables,
	folder?: string,
): FileAccess {
	const access = unlimitedAccess(call, tables, folder);
	const touches = limitTouches(access.touches);
	const isLimited = touches !== access.touches || access.gone.length > maxTouchesPerCall;
	return isLimited ? { ...noEffects, touches, onlyFiles: false } : access;
}

function unlimitedAccess(
	call: ToolCall,
	tables: Required<ToolTables>,
	folder: string | undefined,
): FileAccess {
	const names = tableNames(call.name);
	const shell = toolRow(tables.shells, names);
	const shellFolder = (named: string | undefined) =>
		named === undefined ? folder : (resolveFilePath(folder, named) ?? null);
	if (shell !== undefined && isFields(call.args)) {
		const { args } = call;
		const command = shell.command.map((name) => args[name]).find((value) => value !== undefined);
		const access = shellAccess(command, shellFolder(textAt(args, shell.folder ?? [])));
		return { ...access, touches: access.touches.map((touch) => ({ ...touch, callId: call.id })) };
	}
	const patch = patchIn(call, toolRow(tables.patches, names));
	const patched = resolvePaths(patchedPaths(patch), folder);
	if (patched.length > 0)
		return {
			touches: patched.map((path) => ({ kind: 'edit', path, callId: call.id })),
			onlyFiles: false,
			gone: resolvePaths(pathsRemovedByPatch(patch), folder),
			changes: [],
		};
	const reads = ruleTouches(call, 'read', toolRow(tables.reads, names), folder);
	if (reads.length > 0) return { ...noEffects, touches: reads, onlyFiles: true };
	const touches = ruleTouches(call, 'edit', toolRow(tables.edits, names), folder);
	return { ...noEffects, touches, onlyFiles: false };
}

/**
 * Limits a read to the lines that its result numbers, because a file may end before the last requested
 * line. A later read must cover these lines to supersede this one.
 */
export function applyShownLines(touch: PlacedTouch, result: string): PlacedTouch {
	if (touch.kind !== 'read') return touch;
	const lines = findShownLines(result);
	// Numbers that do not start at the requested line are part of the file's text.
	if (lines === undefined || (touch.lastLines === undefined && lines.from !== (touch.from ?? 1)))
		return touch;
	return { kind: 'read', path: touch.path, callId: touch.callId, from: lines.from, to: lines.to };
}

/** The patch in one of the named arguments; empty if there is none. */
function patchIn({ args }: ToolCall, names: readonly string[] | undefined): string {
	if (names === undefined) return '';
	if (typeof args === 'string') return args;
	return (isFields(args) && textAt(args, names)) || '';
}

function resolvePaths(paths: readonly string[], folder: string | undefined): string[] {
	return paths
		.slice(0, maxTouchesPerCall + 1)
		.map((path) => resolveFilePath(folder, path))
		.filter((path) => path !== undefined);
}

function ruleTouches(
	call: ToolCall,
	kind: 'read' | 'edit',
	rules: readonly FileRule[] | undefined,
	folder: string | undefined,
): PlacedTouch[] {
	if (rules === undefined || !isFields(call.args)) return [];
	const touches: PlacedTouch[] = [];
	for (const rule of rules) {
		if (!isApplicable(rule, call.args)) continue;
		for (const { path: named, lines } of namedFiles(rule, call.args)) {
			if (touches.length > maxTouchesPerCall) break;
			const path = resolveFilePath(folder, named);
			if (path === undefined) continue;
			for (const range of lines.slice(0, maxTouchesPerCall + 1))
				touches.push({ kind, path, callId: call.id, ...range });
		}
		// A move names two files by two rules. For everything else the first matching rule is complete.
		if (touches.length > 0 && rule.path !== undefined && rule.path.length > 1) break;
		if (touches.length > 0 && kind === 'read') break;
	}
	return touches;
}

function namedFiles(rule: FileRule, args: Record<string, unknown>): { path: string; lines: LineSpan[] }[] {
	for (const name of rule.list ?? []) {
		const value = args[name];
		if (!Array.isArray(value)) continue;
		return value.flatMap((entry: unknown) => {
			if (typeof entry === 'string') return isPlainPath(entry) ? [{ path: entry, lines: [{}] }] : [];
			if (!isFields(entry)) return [];
			const path = textAt(entry, ['path', 'file_path', 'filePath']);
			return path === undefined ? [] : [{ path, lines: lineRangeOf(entry, rule.lines) }];
		});
	}
	const path = textAt(args, rule.path ?? []);
	return path === undefined ? [] : [{ path, lines: lineRangeOf(args, rule.lines) }];
}

function isApplicable(rule: FileRule, args: Record<string, unknown>): boolean {
	return Object.entries(rule.when ?? {}).every(([name, values]) => values.includes(String(args[name])));
}

/** Whether a path names a single file instead of a pattern. */
function isPlainPath(path: string): boolean {
	return !/[*?{}]/.test(path);
}

/** The first of these arguments that is a nonempty string. */
function textAt(args: Record<string, unknown>, names: readonly string[]): string | undefined {
	for (const name of names) {
		const value = args[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return undefined;
}

/** The requested lines; one empty range, meaning the whole file, if none are requested. */
function lineRangeOf(args: Record<string, unknown>, lines: LineArguments | undefined): LineSpan[] {
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

/** Parses `[1, 50]`, `"1-50"`, or several of either. */
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

/** How the editor of SWE-agent heads the lines that it shows: `[File: /src/fields.py (1998 lines total)]`. */
const shownFile = /^\[File: ([^\n]{1,1000}) \(\d{1,9} lines total\)\]\r?$/m;
/** Names of calls that change the open file; all others show it. */
const editing = /^(?:edit|insert|replace|append|create)/i;
/** The heading appears in this much of a result. UTF-16 units. */
const maxHeadLength = 1000;

/** Returns what a call did to the open file, which its result names; undefined if the result names none. */
export function accessToOpenFile({ id, name }: ToolCall, result: string): FileAccess | undefined {
	const path = shownFile.exec(result.slice(0, maxHeadLength))?.[1];
	if (path === undefined) return undefined;
	const kind = editing.test(name) ? 'edit' : 'read';
	return { touches: [{ kind, path, callId: id }], onlyFiles: kind === 'read', gone: [], changes: [] };
}
