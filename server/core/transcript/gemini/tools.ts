import { readFileRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of Gemini CLI, and of Qwen Code which was made from it, that read, change or run. */
export const geminiTools: ToolTables = {
	reads: { readfile: readFileRules, readmanyfiles: [{ list: ['paths', 'include'] }] },
	edits: { replace: wholeFile, writefile: wholeFile },
	shells: { runshellcommand: { command: ['command'], folder: ['directory', 'dir_path'] } },
};
