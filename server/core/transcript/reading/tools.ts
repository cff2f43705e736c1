/** How the tools of agents name files: data, so that a new tool is a new row. */

/** Which arguments tell the lines. Each list holds alternative argument names, the first present one counts. */
export interface LineArguments {
	/** The first line. */
	from?: readonly string[];
	/** The last line, included; below 1 it means the end of the file. */
	to?: readonly string[];
	/** How many lines. */
	count?: readonly string[];
	/** How many lines the tool shows where the call does not say; in lines. */
	defaultCount?: number;
	/** An array of two: first and last line, -1 for the end of the file. */
	range?: readonly string[];
	/** Only so many lines from the start, or from the end. */
	head?: readonly string[];
	tail?: readonly string[];
	/** The number that the tool gives to a file's first line; 1 where absent. */
	firstLine?: 0 | 1;
}

export interface FileRule {
	/** Names of the argument that holds a path; the first one that holds text counts. */
	path?: readonly string[];
	/** Names of an argument that holds several: texts, or objects with `path` and `lines` of their own. */
	list?: readonly string[];
	lines?: LineArguments;
	/** The rule holds only where these arguments have one of these values. */
	when?: Readonly<Record<string, readonly string[]>>;
}

export interface ShellRule {
	/** The argument with the script, or with the array of words. */
	command: readonly string[];
	/** The argument with the folder that it runs in. */
	folder?: readonly string[];
}

/** The tools of an agent that read, change or run, by their names in lower case without `_` and `-`. */
export interface ToolTables {
	reads?: Readonly<Record<string, readonly FileRule[]>>;
	edits?: Readonly<Record<string, readonly FileRule[]>>;
	/** Tools whose text is an `apply_patch` patch, and the arguments that it may stand in. */
	patches?: Readonly<Record<string, readonly string[]>>;
	shells?: Readonly<Record<string, ShellRule>>;
}

/** `offset` is the first line's number, `limit` a count; these tools stop at 2 000 lines by themselves. */
const offsetAndLimit: LineArguments = { from: ['offset'], count: ['limit'], defaultCount: 2000 };
/** The same with `offset` as the number of lines to skip. */
const skipAndLimit: LineArguments = { ...offsetAndLimit, firstLine: 0 };
const startAndEnd: LineArguments = {
	from: ['start_line', 'startLine', 'line_start', 'start_line_one_indexed'],
	to: ['end_line', 'endLine', 'line_end', 'end_line_one_indexed_inclusive'],
};
const viewRange: LineArguments = { range: ['view_range', 'viewRange', 'read_range', 'line_range'] };
const anyPath = ['path', 'file_path', 'filePath', 'absolute_path', 'target_file', 'filename'] as const;

export const readRules: readonly FileRule[] = [
	{ path: ['file_path', 'path'], lines: { ...offsetAndLimit, range: ['read_range'] } },
	{ path: ['filePath'], lines: offsetAndLimit },
];
export const readFileRules: readonly FileRule[] = [
	{ list: ['files', 'paths'], lines: { ...startAndEnd, range: ['line_ranges', 'line_range', 'lineRanges'] } },
	{ path: ['absolute_path'], lines: skipAndLimit },
	{ path: ['target_file', 'filePath', 'file_path', 'path'], lines: { ...startAndEnd, ...countedByOffset() } },
];
export const viewRules: readonly FileRule[] = [
	{ path: ['file_path'], lines: skipAndLimit },
	{ path: ['path', 'filePath'], lines: viewRange },
];
export const wholeFile: readonly FileRule[] = [{ path: anyPath, list: ['paths', 'files'] }];
export const headAndTailLines: readonly FileRule[] = [
	{ path: ['path'], lines: { head: ['head'], tail: ['tail'] } },
];
export const viewCommand: readonly FileRule[] = [
	{ path: ['path'], lines: viewRange, when: { command: ['view'] } },
];
export const editCommand: readonly FileRule[] = [
	{ path: ['path'], when: { command: ['create', 'str_replace', 'write', 'undo_edit', 'edit_file'] } },
	{ path: ['path'], lines: { from: ['insert_line'] }, when: { command: ['insert'] } },
];

function countedByOffset(): LineArguments {
	return { count: ['limit'], from: [...(startAndEnd.from ?? []), 'offset'] };
}

export const bash: ShellRule = { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] };
export const command: ShellRule = { command: ['command'] };

/** The editor tool that Anthropic trains its models on, under the names that it goes by. */
export const editorNames = [
	'strreplaceeditor',
	'strreplacebasededittool',
	'fileeditor',
	'texteditor',
] as const;

/** One row for several names. */
export function rows<Name extends string, Row>(names: readonly Name[], row: Row): Record<Name, Row> {
	return Object.fromEntries(names.map((name) => [name, row])) as Record<Name, Row>;
}
