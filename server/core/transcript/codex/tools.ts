import { command, type ToolTables } from '../reading/tools.ts';

/** The tools of Codex that change or run. */
export const codexTools: ToolTables = {
	edits: { filechange: [{ list: ['changes'] }] },
	patches: { applypatch: ['input', 'patch', 'patchText', 'value'] },
	shells: {
		shell: { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] },
		localshell: { command: ['command'], folder: ['workdir', 'working_directory'] },
		localshellcall: { command: ['command'], folder: ['workdir', 'working_directory'] },
		shellcommand: { command: ['command'], folder: ['workdir'] },
		execcommand: { command: ['cmd', 'command'], folder: ['workdir'] },
		commandexecution: command,
	},
};
