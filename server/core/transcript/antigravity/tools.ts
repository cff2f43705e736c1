import { readFileRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Antigravity that read, change or run. */
export const antigravityTools: ToolTables = {
	reads: { viewfile: readFileRules },
	edits: { writetofile: wholeFile },
	shells: { runcommand: { command: ['command'], folder: ['cwd'] } },
};
