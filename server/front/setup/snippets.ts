/** The lines that `contextd setup` adds to the configuration of shells and of tmux. */

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Machine } from '../install/parts/agent.ts';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { createLinesEdit } from './fileEdit.ts';
import { type FileAddition, planFileParts } from './filePart.ts';
import { findMarkedLines, markLines } from './markedLines.ts';
import type { SetupMachine, SetupPart } from './part.ts';

/** Lines for one configuration file. */
interface Snippet extends Pick<FileAddition, 'title' | 'gain' | 'path' | 'isFound'> {
	lines: readonly string[];
}

/** Returns the parts for the shells and tmux of this machine. */
export function planSnippetParts(machine: SetupMachine): Promise<SetupPart[]> {
	return planFileParts(listSnippets(machine).map(createSnippetAddition), machine);
}

function createSnippetAddition({ lines, ...file }: Snippet): FileAddition {
	const markedLines = markLines(lines);
	return {
		...file,
		edit: createLinesEdit(lines),
		checkText: (text, shownPath) => {
			const range = findMarkedLines(text);
			if (typeof range === 'object') {
				return text.slice(range.from, range.to) === markedLines
					? { kind: 'done' }
					: { kind: 'due', word: `update in ${shownPath}` };
			}
			if (!text.includes('contextd status')) return undefined;
			return { kind: 'none', text: `${file.path} calls contextd status already` };
		},
		listChangedLines: () =>
			markedLines
				.trimEnd()
				.split('\n')
				.map((line) => `+ ${line}`),
		describeResult: (shownPath) => `Added the lines of contextd to ${shownPath}`,
	};
}

/** Adds the percentage to bash's prompt. `exit $s` keeps the last command's exit status, which the prompt may show, too. */
const bashLines = [
	'if [ -n "$BASH_VERSION" ] && [ -n "$PS1" ] && command -v contextd >/dev/null; then',
	'\tcase $PS1 in',
	"\t*'contextd status'*) ;;",
	'\t*) PS1=\'$(s=$?; contextd status -f "{percent} " 2>/dev/null; exit $s)\'"$PS1" ;;',
	'\tesac',
	'fi',
];

const zshLines = [
	"if (( $+commands[contextd] )) && [[ $RPROMPT != *'contextd status'* ]]; then",
	'\tsetopt prompt_subst',
	`\tRPROMPT='$(contextd status -f "%F{{{color}}}{number}%%%f" 2>/dev/null)'"\${RPROMPT:+ $RPROMPT}"`,
	'fi',
];

/** Adds the percentage to fish's right prompt, after the user's own, which may show the last command's exit status. */
const fishLines = [
	'if status is-interactive; and type -q contextd; and not set -q contextd_in_prompt',
	'\tset -g contextd_in_prompt 1',
	'\tif functions -q fish_right_prompt',
	'\t\tfunctions -c fish_right_prompt contextd_right_prompt_before',
	'\t\tfunction fish_right_prompt',
	'\t\t\tcontextd_right_prompt_before',
	"\t\t\tcontextd status -f ' {percent}' 2>/dev/null",
	'\t\tend',
	'\telse',
	'\t\tfunction fish_right_prompt',
	"\t\t\tcontextd status -f '{percent}' 2>/dev/null",
	'\t\tend',
	'\tend',
	'end',
];

/** Adds the percentage to tmux's right status, and widens it: the default content fills the default width of 40 columns. */
const tmuxLines = [
	"if -F '#{e|<:#{status-right-length},60}' 'set -g status-right-length 60'",
	"if -F '#{m:*contextd status*,#{status-right}}' '' \\",
	'  "set -ga status-right \' #(contextd status -f \\"#[fg={color}]{percent}#[default]\\" #{q:pane_current_path})\'"',
];

/** Returns all snippets, in the order of setup's plan. */
export function listSnippets(machine: Machine): Snippet[] {
	const { env, home } = machine;
	const config = env.XDG_CONFIG_HOME || join(home, '.config');
	const usesShell = (name: string, path: string) => async (): Promise<boolean> =>
		basename(env.SHELL ?? '') === name || existsSync(path);
	const bash = chooseBashFile(machine);
	const zsh = join(env.ZDOTDIR || home, '.zshrc');
	const tmux = chooseTmuxFile(home, config);
	return [
		{
			title: 'bash',
			gain: 'how full the context is, in the prompt',
			path: bash,
			lines: bashLines,
			isFound: usesShell('bash', bash),
		},
		{
			title: 'zsh',
			gain: 'how full the context is, in the right prompt',
			path: zsh,
			lines: zshLines,
			isFound: usesShell('zsh', zsh),
		},
		{
			title: 'fish',
			gain: 'how full the context is, in the right prompt',
			path: join(config, 'fish', 'conf.d', 'contextd.fish'),
			lines: fishLines,
			isFound: usesShell('fish', join(config, 'fish')),
		},
		{
			title: 'tmux',
			gain: 'how full the context is, in the status line',
			path: tmux,
			lines: tmuxLines,
			isFound: async () => existsSync(tmux) || (await findOnPath(['tmux'], machine)).length > 0,
		},
	];
}

/** Returns the file that an interactive bash reads. On macOS, terminals start login shells, which read another file. */
function chooseBashFile({ home, platform }: Machine): string {
	const names = platform === 'darwin' ? ['.bash_profile', '.bash_login', '.profile'] : ['.bashrc'];
	const existing = names.find((name) => existsSync(join(home, name)));
	return join(home, existing ?? names[0] ?? '.bashrc');
}

function chooseTmuxFile(home: string, config: string): string {
	const homeFile = join(home, '.tmux.conf');
	const configFile = join(config, 'tmux', 'tmux.conf');
	return !existsSync(homeFile) && existsSync(configFile) ? configFile : homeFile;
}
