/** How agents' tools name files, as data, so that a new tool is a new row. */

/** Arguments that select lines. Each list has alternative names; the first present argument applies. */
export interface LineArguments {
	/** Names of the argument with the number of the first line. */
	from?: readonly string[];
	/** Names of the argument with the number of the last line; below 1 it means the end of the file. */
	to?: readonly string[];
	/** Names of the argument with the number of lines. */
	count?: readonly string[];
	/** The number of lines that the tool shows by default. */
	defaultCount?: number;
	/** Names of the argument with an array of first and last line; -1 means the end of the file. */
	range?: readonly string[];
	/** Names of the argument that limits the result to this number of lines from the file's start. */
	head?: readonly string[];
	/** Names of the argument that limits the result to this number of lines from the file's end. */
	tail?: readonly string[];
	/** The number that the tool gives to a file's first line; default 1. */
	firstLine?: 0 | 1;
}

/** How a tool's arguments name files. */
export interface FileRule {
	/** Names under which the tool accepts the path; the first argument that contains text is used. */
	path?: readonly string[];
	/** Names of an argument with several paths: strings, or objects with their own `path` and `lines`. */
	list?: readonly string[];
	lines?: LineArguments;
	/** The rule applies only if these arguments have one of these values. */
	when?: Readonly<Record<string, readonly string[]>>;
}

/** How a tool's arguments name a shell command. */
export interface ShellRule {
	/** Names of the argument with the script or the array of words. */
	command: readonly string[];
	/** Names of the argument with the folder in which the script runs. */
	folder?: readonly string[];
}

/** An agent's tools that read, change or run files, by name in lower case without `_` and `-`. */
export interface ToolTables {
	reads?: Readonly<Record<string, readonly FileRule[]>>;
	edits?: Readonly<Record<string, readonly FileRule[]>>;
	/** Tools whose text is an `apply_patch` patch, and the arguments that may contain it. */
	patches?: Readonly<Record<string, readonly string[]>>;
	shells?: Readonly<Record<string, ShellRule>>;
}

/** `offset` is the first line's number, `limit` a count; by default these tools stop at 2,000 lines. */
const offsetAndLimit: LineArguments = { from: ['offset'], count: ['limit'], defaultCount: 2000 };
/** Like `offsetAndLimit`, but `offset` is the number of lines to skip. */
const skipAndLimit: LineArguments = { ...offsetAndLimit, firstLine: 0 };
const firstLineArguments = ['start_line', 'startLine', 'line_start', 'start_line_one_indexed'];
const startAndEnd: LineArguments = {
	from: firstLineArguments,
	to: ['end_line', 'endLine', 'line_end', 'end_line_one_indexed_inclusive'],
};
const viewRange: LineArguments = { range: ['view_range', 'viewRange', 'read_range', 'line_range'] };
const pathArguments = [
	'path',
	'file_path',
	'filePath',
	'absolute_path',
	'absolutePath',
	'target_file',
	'filename',
] as const;

export const readToolRules: readonly FileRule[] = [
	{ path: ['file_path', 'path'], lines: { ...offsetAndLimit, range: ['read_range'] } },
	{ path: ['filePath'], lines: offsetAndLimit },
];
export const readFileToolRules: readonly FileRule[] = [
	{ list: ['files', 'paths'], lines: { ...startAndEnd, range: ['line_ranges', 'line_range', 'lineRanges'] } },
	{ path: ['absolute_path', 'absolutePath'], lines: skipAndLimit },
	{
		path: ['target_file', 'filePath', 'file_path', 'path'],
		lines: { ...startAndEnd, from: [...firstLineArguments, 'offset'], count: ['limit'] },
	},
];
export const viewToolRules: readonly FileRule[] = [
	{ path: ['file_path'], lines: skipAndLimit },
	{ path: ['path', 'filePath'], lines: viewRange },
];
export const wholeFileToolRules: readonly FileRule[] = [{ path: pathArguments, list: ['paths', 'files'] }];
export const headAndTailToolRules: readonly FileRule[] = [
	{ path: ['path'], lines: { head: ['head'], tail: ['tail'] } },
];
export const viewCommandRules: readonly FileRule[] = [
	{ path: ['path'], lines: viewRange, when: { command: ['view'] } },
];
export const editCommandRules: readonly FileRule[] = [
	{ path: ['path'], when: { command: ['create', 'str_replace', 'write', 'undo_edit', 'edit_file'] } },
	{ path: ['path'], lines: { from: ['insert_line'] }, when: { command: ['insert'] } },
];

export const bashRule: ShellRule = { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] };
export const commandRule: ShellRule = { command: ['command'] };

/** Names of the editor tool that Anthropic trains its models on. */
export const editorToolNames = [
	'strreplaceeditor',
	'strreplacebasededittool',
	'fileeditor',
	'texteditor',
] as const;

/** Returns a table with the same row for each of several names. */
export function createToolRows<Key extends string, Row>(names: readonly Key[], row: Row): Record<Key, Row> {
	return Object.fromEntries(names.map((name) => [name, row])) as Record<Key, Row>;
}
