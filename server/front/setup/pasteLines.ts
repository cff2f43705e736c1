/** Editors whose configuration is a program of the user: setup prints lines to paste, and writes nothing. */

import { findOnPath } from '../install/parts/onPath.ts';
import { notedPart, type SetupPart, type SetupPlace } from './part.ts';

/** Lines for an editor. */
export interface PasteLines {
	/** Its command. */
	command: string;
	title: string;
	/** Where the lines belong. */
	file: string;
	lines: readonly string[];
}

const all: readonly PasteLines[] = [
	{
		command: 'nvim',
		title: 'Neovim',
		file: '~/.config/nvim/init.lua',
		lines: [
			"vim.g.contextd = ''",
			'local function contextd_tick()',
			"  vim.fn.jobstart({ 'contextd', 'status', '-f', '{percent} {left}' }, {",
			'    stdout_buffered = true,',
			"    on_stdout = function(_, lines) vim.g.contextd = lines[1] vim.cmd('redrawstatus') end,",
			'  })',
			'end',
			"vim.fn.timer_start(5000, contextd_tick, { ['repeat'] = -1 })",
			"vim.o.statusline = '%f %m%=%{g:contextd} %l:%c'",
		],
	},
	{
		command: 'emacs',
		title: 'Emacs',
		file: '~/.emacs.d/init.el',
		lines: [
			'(defvar contextd-usage "")',
			'(defun contextd-tick ()',
			'  (make-process :name "contextd" :noquery t',
			'    :command \'("contextd" "status" "-f" "{percent} {left}")',
			'    :filter (lambda (_ text) (setq contextd-usage (string-trim text)) (force-mode-line-update t))))',
			"(run-with-timer 0 5 #'contextd-tick)",
			'(add-to-list \'mode-line-misc-info \'(" " contextd-usage) t)',
		],
	},
	{
		command: 'hx',
		title: 'Helix',
		file: '~/.config/helix/config.toml',
		lines: ['[keys.normal.space.x]', 'u = ":sh contextd status"', 's = ":sh contextd stats"'],
	},
];

/** The lines for editors of this machine. */
export async function linesToPaste(place: SetupPlace): Promise<PasteLines[]> {
	const isThere = await Promise.all(
		all.map(async ({ command }) => (await findOnPath([command], place)).length > 0),
	);
	return all.filter((_, index) => isThere[index]);
}

/** The rows about these lines in the plan. */
export function pasteParts(found: readonly PasteLines[]): SetupPart[] {
	return found.map(({ title }) => notedPart(title, 'how full the context is', 'lines to paste follow below'));
}
