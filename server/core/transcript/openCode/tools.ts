import { bash, readRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of OpenCode that read, change or run. */
export const openCodeTools: ToolTables = {
	reads: { read: readRules },
	edits: { edit: wholeFile, write: wholeFile },
	patches: { patch: ['patchText', 'patch', 'input'] },
	shells: { bash },
};
