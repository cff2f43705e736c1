import { readFileRules, rows, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Cursor that read or change. */
export const cursorTools: ToolTables = {
	reads: { readfile: readFileRules },
	edits: rows(['editfile', 'searchreplace', 'deletefile'], wholeFile),
};
