import { command, readRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Droid that read, change or run. */
export const droidTools: ToolTables = {
	reads: { read: readRules },
	edits: { edit: wholeFile, create: wholeFile },
	shells: { execute: command },
};
