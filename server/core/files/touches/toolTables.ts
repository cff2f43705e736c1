/**
 * How the tools of the agents name files: data, so that a new tool is a new row.
 * Tool names are compared without case, `_`, `-` and whatever server prefix stands before them.
 */

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

interface ShellRule {
	/** The argument with the script, or with the array of words. */
	command: readonly string[];
	/** The argument with the folder that it runs in. */
	folder?: readonly string[];
}

export interface ToolTables {
	reads: Readonly<Record<string, readonly FileRule[]>>;
	edits: Readonly<Record<string, readonly FileRule[]>>;
	/** Tools whose text is an `apply_patch` patch, and the arguments that it may stand in. */
	patches: Readonly<Record<string, readonly string[]>>;
	shells: Readonly<Record<string, ShellRule>>;
}

/** The tool's name as the tables spell it: without a server's prefix (`server__tool`, `server.tool`), case, `_` and `-`. */
function tableName(name: string): string {
	const parts = name.split(/__|[.:/]/);
	const last = parts.findLast((part) => part !== '') ?? name;
	return last.toLowerCase().replaceAll(/[_\- ]/g, '');
}

/** The row of a tool; a name like `server-tool` is also looked up without its server. */
export function toolRow<Row>(rows: Readonly<Record<string, Row>>, name: string): Row | undefined {
	const own = tableName(name);
	if (Object.hasOwn(rows, own)) return rows[own];
	const dash = name.indexOf('-');
	const rest = dash < 0 ? '' : tableName(name.slice(dash + 1));
	return Object.hasOwn(rows, rest) ? rows[rest] : undefined;
}
