/** Lines to paste for editors whose configuration is a program of the user. Setup prints them, and writes nothing. */

import { join } from 'node:path';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { createInformationPart, type SetupMachine, type SetupPart } from './part.ts';

export interface PasteLines {
	/** The editor's command. */
	command: string;
	title: string;
	/** File into which the user pastes the lines. */
	file: string;
	lines: readonly string[];
}

/** Returns what a user pastes into the settings of each editor, to load the client from the package's folder. */
function listEditorLines({ packageFolder }: SetupMachine): readonly PasteLines[] {
	const client = (name: string): string => JSON.stringify(join(packageFolder, '..', name));
	return [
		{
			command: 'nvim',
			title: 'Neovim',
			file: '~/.config/nvim/init.lua (Neovim 0.10 or later)',
			lines: [
				`vim.opt.runtimepath:prepend(${client('client-neovim')})`,
				"require('contextd').setup({})",
				`vim.o.statusline = "%f %=%{v:lua.require'contextd'.status()} "`,
			],
		},
		{
			command: 'emacs',
			title: 'Emacs',
			file: '~/.emacs.d/init.el (Emacs 28 or later)',
			lines: [
				`(add-to-list 'load-path ${client('client-emacs')})`,
				"(require 'contextd)",
				'(contextd-mode 1)',
			],
		},
		{
			command: 'hx',
			title: 'Helix',
			file: '~/.config/helix/config.toml (docs/editors.md adds compaction and undo)',
			lines: ['[keys.normal.space.t]', 'u = ":sh contextd status"'],
		},
	];
}

/** Returns the lines to paste for the editors that are installed on this machine. */
export async function findPasteLines(machine: SetupMachine): Promise<PasteLines[]> {
	const editors = listEditorLines(machine);
	const areOnPath = await Promise.all(
		editors.map(async ({ command }) => (await findOnPath([command], machine)).length > 0),
	);
	return editors.filter((_, index) => areOnPath[index]);
}

/** Returns the rows of the plan for editors with lines to paste. */
export function createPasteParts(pasteLines: readonly PasteLines[]): SetupPart[] {
	return pasteLines.map(({ title }) =>
		createInformationPart(title, 'usage, compaction, undo', 'lines to paste follow below'),
	);
}
