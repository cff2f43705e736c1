import type { FileRule, LineArguments, ToolTables } from './toolTables.ts';

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

const read: readonly FileRule[] = [
	{ path: ['file_path', 'path'], lines: { ...offsetAndLimit, range: ['read_range'] } },
	{ path: ['filePath'], lines: offsetAndLimit },
];
const readFile: readonly FileRule[] = [
	{ list: ['files', 'paths'], lines: { ...startAndEnd, range: ['line_ranges', 'line_range', 'lineRanges'] } },
	{ path: ['absolute_path'], lines: skipAndLimit },
	{ path: ['target_file', 'filePath', 'file_path', 'path'], lines: { ...startAndEnd, ...countedByOffset() } },
];
const view: readonly FileRule[] = [
	{ path: ['file_path'], lines: skipAndLimit },
	{ path: ['path', 'filePath'], lines: viewRange },
];
const wholeFile: readonly FileRule[] = [{ path: anyPath, list: ['paths', 'files'] }];
const headAndTail: readonly FileRule[] = [{ path: ['path'], lines: { head: ['head'], tail: ['tail'] } }];
const viewCommand: readonly FileRule[] = [{ path: ['path'], lines: viewRange, when: { command: ['view'] } }];
const editCommand: readonly FileRule[] = [
	{ path: ['path'], when: { command: ['create', 'str_replace', 'write', 'undo_edit', 'edit_file'] } },
	{ path: ['path'], lines: { from: ['insert_line'] }, when: { command: ['insert'] } },
];

function countedByOffset(): LineArguments {
	return { count: ['limit'], from: [...(startAndEnd.from ?? []), 'offset'] };
}

/** What the well-known agents and file servers call their tools. */
export const defaultToolTables: ToolTables = {
	reads: {
		read,
		readfile: readFile,
		copilotreadfile: readFile,
		viewfile: readFile,
		readtextfile: headAndTail,
		readmultiplefiles: wholeFile,
		readmanyfiles: [{ list: ['paths', 'include'] }],
		view,
		strreplaceeditor: viewCommand,
		strreplacebasededittool: viewCommand,
		fileeditor: viewCommand,
		texteditor: viewCommand,
	},
	edits: {
		edit: wholeFile,
		multiedit: wholeFile,
		write: wholeFile,
		create: wholeFile,
		insert: [{ path: ['path'], lines: { from: ['insert_line'] } }],
		notebookedit: [{ path: ['notebook_path'] }],
		strreplace: wholeFile,
		replace: wholeFile,
		writefile: wholeFile,
		writetofile: wholeFile,
		createfile: wholeFile,
		deletefile: wholeFile,
		editfile: wholeFile,
		editblock: wholeFile,
		searchreplace: wholeFile,
		searchandreplace: wholeFile,
		replaceinfile: wholeFile,
		replacestringinfile: wholeFile,
		inserteditintofile: wholeFile,
		insertcontent: wholeFile,
		applydiff: wholeFile,
		movefile: [{ path: ['source'] }, { path: ['destination'] }],
		filechange: [{ list: ['changes'] }],
		strreplaceeditor: editCommand,
		strreplacebasededittool: editCommand,
		fileeditor: editCommand,
		texteditor: editCommand,
	},
	patches: {
		applypatch: ['input', 'patch', 'patchText', 'value'],
		patch: ['patchText', 'patch', 'input'],
	},
	shells: {
		bash: { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] },
		shell: { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] },
		localshell: { command: ['command'], folder: ['workdir', 'working_directory'] },
		localshellcall: { command: ['command'], folder: ['workdir', 'working_directory'] },
		shellcommand: { command: ['command'], folder: ['workdir'] },
		execcommand: { command: ['cmd', 'command'], folder: ['workdir'] },
		commandexecution: { command: ['command'] },
		runshellcommand: { command: ['command'], folder: ['directory', 'dir_path'] },
		runcommand: { command: ['command'], folder: ['cwd'] },
		executecommand: { command: ['command'], folder: ['cwd'] },
		executebash: { command: ['command'] },
		runinterminal: { command: ['command'] },
		terminal: { command: ['command'] },
		execute: { command: ['command'] },
	},
};
