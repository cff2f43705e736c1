import { command, readFileRules, type ToolTables, wholeFile } from '../reading/tools.ts';

/** The tools of VS Code's chat that read, change or run. */
export const copilotChatTools: ToolTables = {
	reads: { copilotreadfile: readFileRules },
	edits: { createfile: wholeFile, replacestringinfile: wholeFile, inserteditintofile: wholeFile },
	shells: { runinterminal: command },
};
