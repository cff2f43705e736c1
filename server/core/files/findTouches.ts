import type { ToolCall } from '../../protocol/conversation.ts';
import { type Fields, isFields } from '../shape.ts';
import {
	agents,
	type FileRule,
	type LineArguments,
	type ShellRule,
	type ToolTables,
} from '../transcript/index.ts';
import { firstText } from '../values.ts';
import { standardizeCall } from './standardCall.ts';
import { findGutter } from './touches/gutter.ts';
import { type FileTouch, type LineSpan, limitTouches } from './touches/lineRange.ts';
import { findPatchedPaths } from './touches/patch.ts';
import { resolveFilePath } from './touches/path.ts';
import type { ShellFileChange } from './touches/shell/fileChanges.ts';
import { findShellAccess } from './touches/shell/shellTouches.ts';
import { maxTouchesPerCall } from './touches/tuning.ts';

type RowsByTool<Row> = Readonly<Record<string, Row>>;

/** How tools of all known agents and well-known file servers name files. Tools with the same name are merged. */
const defaultToolTables: Required<ToolTables> = {
	reads: mergeTables(({ reads }) => reads, mergeLists<FileRule>),
	edits: mergeTables(({ edits }) => edits, mergeLists<FileRule>),
	patches: mergeTables(({ patches }) => patches, mergeLists<string>),
	shells: mergeTables(({ shells }) => shells, mergeShellRules),
};

function mergeTables<Row>(
	selectTable: (tools: ToolTables) => RowsByTool<Row> | undefined,
	mergeRows: (one: Row, other: Row) => Row,
): RowsByTool<Row> {
	const mergedRows: Record<string, Row> = {};
	for (const { tools = {} } of agents) {
		for (const [name, row] of Object.entries(selectTable(tools) ?? {})) {
			const earlierRow = mergedRows[name];
			mergedRows[name] = earlierRow === undefined ? row : mergeRows(earlierRow, row);
		}
	}
	return mergedRows;
}

function mergeLists<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
	return one === other ? one : [...new Set([...one, ...other])];
}

function mergeShellRules(one: ShellRule, other: ShellRule): ShellRule {
	if (one === other) return one;
	const folder = mergeLists(one.folder ?? [], other.folder ?? []);
	return { command: mergeLists(one.command, other.command), ...(folder.length > 0 && { folder }) };
}

/**
 * Returns a tool's name as the tables spell it: in lowercase, without `_`, `-` and a server's prefix (`server__tool`,
 * `server.tool`).
 */
function normalizeToolName(name: string): string {
	const parts = name.split(/__|[.:/]/);
	const last = parts.findLast((part) => part !== '') ?? name;
	return last.toLowerCase().replaceAll(/[_\- ]/g, '');
}

/** Returns the names under which to look up a tool. `server-tool` is also looked up without its server. */
function listTableNames(name: string): string[] {
	const dashIndex = name.indexOf('-');
	return dashIndex < 0
		? [normalizeToolName(name)]
		: [normalizeToolName(name), normalizeToolName(name.slice(dashIndex + 1))];
}

function findToolRow<Row>(rows: Readonly<Record<string, Row>>, names: readonly string[]): Row | undefined {
	const tableName = names.find((name) => Object.hasOwn(rows, name));
	return tableName === undefined ? undefined : rows[tableName];
}

/** Returns which arguments of a tool's calls contain a shell command; undefined if the tool runs none. */
export function findShellRule(toolName: string): ShellRule | undefined {
	return findToolRow(defaultToolTables.shells, listTableNames(toolName));
}

/** What a tool call does to files. */
export interface FileAccess {
	touches: FileTouch[];
	/** Whether the result shows only lines of files that the call reads. If so, a later read can replace the result. */
	showsOnlyFiles: boolean;
	/** Files and folders that no longer exist after the call, if it succeeds. */
	removedPaths: string[];
	/** Further changes of files, in order, if the call succeeds. */
	changes: ShellFileChange[];
}

/** Returns the paths of the files that a call edits, once for each edit. */
export function listEditedPaths({ touches }: Pick<FileAccess, 'touches'>): string[] {
	return touches.flatMap(({ kind, path }) => (kind === 'edit' ? [path] : []));
}

const noEffects = { removedPaths: [], changes: [] };

/** Returns the files that a tool call reads or edits, as `findFileAccess` finds them. */
export function findTouches(call: ToolCall): FileTouch[] {
	return findFileAccess(call).touches;
}

/**
 * Returns the files that a tool call reads, edits or removes, from its arguments alone, and whether its result shows
 * anything else. Finds at most `maxTouchesPerCall` touches, and no path longer than `maxPathBytes`. Relative paths are
 * resolved against `folder`, if given.
 */
export function findFileAccess(call: ToolCall, folder?: string): FileAccess {
	const access = findAllFileAccess(standardizeCall(call), folder);
	const touches = limitTouches(access.touches);
	const isLimited = touches !== access.touches || access.removedPaths.length > maxTouchesPerCall;
	return isLimited ? { ...noEffects, touches, showsOnlyFiles: false } : access;
}

function findAllFileAccess(call: ToolCall, folder: string | undefined): FileAccess {
	const names = listTableNames(call.name);
	const { shells, patches, reads, edits } = defaultToolTables;
	const shell = findToolRow(shells, names);
	if (shell !== undefined && isFields(call.args)) {
		const { args } = call;
		const command = shell.command.map((name) => args[name]).find((value) => value !== undefined);
		const folderArgument = readTextArgument(args, shell.folder ?? []);
		const shellFolder =
			folderArgument === undefined ? folder : (resolveFilePath(folder, folderArgument) ?? null);
		const access = findShellAccess(command, shellFolder);
		return { ...access, touches: access.touches.map((touch) => ({ ...touch, callId: call.id })) };
	}
	const patch = findPatchedPaths(readPatch(call, findToolRow(patches, names)));
	const patchedPaths = resolvePaths(patch.paths, folder);
	if (patchedPaths.length > 0)
		return {
			touches: patchedPaths.map((path) => ({ kind: 'edit', path, callId: call.id })),
			showsOnlyFiles: false,
			removedPaths: resolvePaths(patch.removedPaths, folder),
			changes: [],
		};
	const readTouches = findRuleTouches(call, 'read', findToolRow(reads, names), folder);
	if (readTouches.length > 0) return { ...noEffects, touches: readTouches, showsOnlyFiles: true };
	const touches = findRuleTouches(call, 'edit', findToolRow(edits, names), folder);
	return { ...noEffects, touches, showsOnlyFiles: false };
}

/**
 * Limits a read to the lines that its result numbers, because a file may end before the last requested line. A later read
 * that covers these lines supersedes the read.
 */
export function applyShownLines(touch: FileTouch, result: string): FileTouch {
	if (touch.kind !== 'read') return touch;
	const lines = findGutter(result.split('\n'));
	// Numbers that do not start at the requested line are part of the file's text.
	if (lines === undefined || (touch.lastLines === undefined && lines.from !== (touch.from ?? 1)))
		return touch;
	return { kind: 'read', path: touch.path, callId: touch.callId, from: lines.from, to: lines.to };
}

/** Returns the patch in one of the named arguments; empty if there is none. */
function readPatch({ args }: ToolCall, names: readonly string[] | undefined): string {
	if (names === undefined) return '';
	if (typeof args === 'string') return args;
	return (isFields(args) && readTextArgument(args, names)) || '';
}

function resolvePaths(paths: readonly string[], folder: string | undefined): string[] {
	return paths
		.slice(0, maxTouchesPerCall + 1)
		.map((path) => resolveFilePath(folder, path))
		.filter((path) => path !== undefined);
}

function findRuleTouches(
	call: ToolCall,
	kind: 'read' | 'edit',
	rules: readonly FileRule[] | undefined,
	folder: string | undefined,
): FileTouch[] {
	if (rules === undefined || !isFields(call.args)) return [];
	const touches: FileTouch[] = [];
	for (const rule of rules) {
		if (!isRuleApplicable(rule, call.args)) continue;
		const files = findNamedFiles(rule, call.args);
		for (const { path: writtenPath, lines } of kind === 'read' ? files.map(splitSelector) : files) {
			if (touches.length > maxTouchesPerCall) break;
			const path = resolveFilePath(folder, writtenPath);
			if (path === undefined) continue;
			for (const range of lines.slice(0, maxTouchesPerCall + 1))
				touches.push({ kind, path, callId: call.id, ...range });
		}
		// A move has a rule for each of its two files, with a single argument name. Any other rule finds all files.
		if (touches.length > 0 && rule.path !== undefined && rule.path.length > 1) break;
		if (touches.length > 0 && kind === 'read') break;
	}
	return touches;
}

/** An address of a page, a sub-agent's report or another thing that is no file: `https://…`, `agent://3-Review`. */
const addressPattern = /^[a-z][a-z0-9+.-]{1,30}:\/\//i;

/** A file in the arguments of a call, with the lines that the call names. */
interface NamedFile {
	path: string;
	lines: LineSpan[];
}

function findNamedFiles(rule: FileRule, args: Fields): NamedFile[] {
	for (const name of rule.list ?? []) {
		const value = args[name];
		if (!Array.isArray(value)) continue;
		return value.flatMap((entry: unknown) => {
			// A pattern names no single file.
			if (typeof entry === 'string') return /[*?{}]/.test(entry) ? [] : [{ path: entry, lines: [{}] }];
			if (!isFields(entry)) return [];
			const path = readTextArgument(entry, ['path', 'file_path', 'filePath']);
			return path === undefined ? [] : [{ path, lines: readLineRanges(entry, rule.lines) }];
		});
	}
	const path = readTextArgument(args, rule.path ?? []);
	const isFile = path !== undefined && !(addressPattern.test(path) && !path.startsWith('file:'));
	return isFile ? [{ path, lines: readLineRanges(args, rule.lines) }] : [];
}

/** What some agents write after a path: the lines to read, or that the text should not be numbered. */
const selectorPattern = /^(.+):(?:raw|(\d{1,9})(?:-(\d{1,9}))?)$/;

/** Separates a path from the lines that are written behind it, as in `src/main.ts:10-20`. */
function splitSelector(file: NamedFile): NamedFile {
	const [, path, from, to] = selectorPattern.exec(file.path) ?? [];
	if (path === undefined) return file;
	const span = { ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
	return { path, lines: from === undefined ? file.lines : [span] };
}

function isRuleApplicable(rule: FileRule, args: Fields): boolean {
	return Object.entries(rule.when ?? {}).every(([name, values]) => values.includes(String(args[name])));
}

/** Returns the first of the named arguments that is a nonempty string. */
function readTextArgument(args: Fields, names: readonly string[]): string | undefined {
	return firstText(...names.map((name) => args[name]));
}

/** Returns the requested lines. If none are requested, returns one empty range, which means the whole file. */
function readLineRanges(args: Fields, lines: LineArguments | undefined): LineSpan[] {
	if (lines === undefined) return [{}];
	const ranges = (lines.range ?? []).flatMap((name) => parseRanges(args[name]));
	if (ranges.length > 0) return ranges;
	const head = readNumber(args, lines.head);
	if (head !== undefined) return head > 0 ? [{ from: 1, to: head }] : [{}];
	const tail = readNumber(args, lines.tail);
	if (tail !== undefined) return tail > 0 ? [{ lastLines: tail }] : [{}];
	return [readCountedRange(args, lines)];
}

function readCountedRange(args: Fields, lines: LineArguments): LineSpan {
	const startArgument = readNumber(args, lines.from);
	if (startArgument !== undefined && startArgument < 0) return { lastLines: -startArgument };
	const from = Math.max(1, (startArgument ?? 0) + (lines.firstLine === 0 ? 1 : 0));
	const last = readNumber(args, lines.to);
	if (last !== undefined) {
		const to = last + (lines.firstLine === 0 ? 1 : 0);
		return last < 1 || to < from ? createRangeToEnd(from) : { from, to };
	}
	const count = readNumber(args, lines.count) ?? lines.defaultCount;
	return count === undefined || count < 1 ? createRangeToEnd(from) : { from, to: from + count - 1 };
}

function createRangeToEnd(from: number): LineSpan {
	return from > 1 ? { from } : {};
}

/** Parses a range of lines (`[1, 50]`, `"1-50"`), or a list of ranges. */
function parseRanges(value: unknown): LineSpan[] {
	if (typeof value === 'string') {
		const match = /^\s*(\d{1,9})\s*-\s*(\d{1,9})\s*$/.exec(value);
		return match === null ? [] : parseRanges([Number(match[1]), Number(match[2])]);
	}
	if (!Array.isArray(value)) return [];
	const [from, to] = value as readonly unknown[];
	if (Array.isArray(from) || typeof from === 'string') return value.flatMap(parseRanges);
	if (!isLineNumber(from) || from < 1) return [];
	return isLineNumber(to) && to >= from ? [{ from, to }] : [createRangeToEnd(from)];
}

function readNumber(args: Fields, names: readonly string[] | undefined): number | undefined {
	for (const name of names ?? []) {
		const value = args[name];
		if (isLineNumber(value)) return value;
		if (typeof value === 'string' && /^-?\d{1,9}$/.test(value)) return Number(value);
	}
	return undefined;
}

function isLineNumber(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value);
}

/** Matches the heading that SWE-agent's editor shows above a file: `[File: /src/fields.py (1998 lines total)]`. */
const shownFilePattern = /^\[File: ([^\n]{1,1000}) \(\d{1,9} lines total\)\]\r?$/m;
/** Matches names of calls that change the open file; all other calls show it. */
const editingToolPattern = /^(?:edit|insert|replace|append|create)/i;
/** Number of UTF-16 units at the start of a result that are searched for the heading. */
const maxHeadLength = 1000;

/** Returns what a call did to the file that its result names as open; undefined if the result names none. */
export function findAccessToOpenFile({ id, name }: ToolCall, result: string): FileAccess | undefined {
	const path = shownFilePattern.exec(result.slice(0, maxHeadLength))?.[1];
	if (path === undefined) return undefined;
	const kind = editingToolPattern.test(name) ? 'edit' : 'read';
	return { ...noEffects, touches: [{ kind, path, callId: id }], showsOnlyFiles: kind === 'read' };
}
