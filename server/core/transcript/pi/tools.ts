import { bash, readRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of pi that read, change or run. */
export const piTools: ToolTables = {
	reads: { read: readRules },
	edits: { edit: wholeFile, write: wholeFile },
	shells: { bash },
};
