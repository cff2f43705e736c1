import { command, headAndTail, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of file servers, and of agents of which only messages are known. */
export const serverTools: ToolTables = {
	reads: { readtextfile: headAndTail, readmultiplefiles: wholeFile },
	edits: { editblock: wholeFile, movefile: [{ path: ['source'] }, { path: ['destination'] }] },
	shells: { executebash: command, terminal: command },
};
