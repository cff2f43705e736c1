import { readFileRules, rows, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Cline and of the extensions made from it that read, change or run. */
export const clineTools: ToolTables = {
	reads: { readfile: readFileRules },
	edits: rows(
		['writetofile', 'editfile', 'searchandreplace', 'replaceinfile', 'insertcontent', 'applydiff'],
		wholeFile,
	),
	shells: { executecommand: { command: ['command'], folder: ['cwd'] } },
};
