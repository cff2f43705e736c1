import {
	editCommand,
	editorNames,
	rows,
	type ToolTables,
	viewCommand,
	viewRules,
	wholeFile,
} from '../reading/tools.ts';

/** The tools of Copilot CLI, and of agents with the same editor, that read or change. */
export const copilotTools: ToolTables = {
	reads: { view: viewRules, ...rows(editorNames, viewCommand) },
	edits: {
		create: wholeFile,
		insert: [{ path: ['path'], lines: { from: ['insert_line'] } }],
		strreplace: wholeFile,
		...rows(editorNames, editCommand),
	},
};
