import { bash, readRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Claude Code that read, change or run. */
export const claudeTools: ToolTables = {
	reads: { read: readRules },
	edits: {
		edit: wholeFile,
		multiedit: wholeFile,
		write: wholeFile,
		notebookedit: [{ path: ['notebook_path'] }],
	},
	shells: { bash },
};
