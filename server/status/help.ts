import { type Line, span } from '../front/output/line.ts';
import { parts } from './template.ts';

const settings = '{"statusLine": {"type": "command", "command": "contextd statusline"}}';

const texts = {
	statusline: `Usage: contextd statusline [options]

One line for Claude Code: how full the session is up to where Claude Code compacts by itself,
what is left, and what is to be written anew once the provider's cache is cold. Reads what Claude
Code hands a status line on the standard input. In ~/.claude/settings.json:

  ${settings}
`,
	status: `Usage: contextd status [options] [FOLDER]

One line for tmux, a shell's prompt or an editor: how full the newest session of any agent in the
folder is, what is left, and what is to be written anew once the provider's cache is cold. Prints
nothing where no agent worked.

  tmux      set -g status-right '#(contextd status -f "#[fg={color}]{percent}" "#{pane_current_path}")'
  starship  [custom.context] command = "contextd status -f '{percent}'", when = true
  zsh       RPROMPT='$(contextd status -f "%F{{{color}}}{percent}%f")'  # with setopt prompt_subst
  Neovim    :echo system('contextd status')
`,
} as const;

/** The help of a status command. */
export function statusHelp(command: 'status' | 'statusline'): Line[] {
	const names = Object.keys(parts).map((name) => `{${name}}`);
	const text = `${texts[command]}
Options:
  -f, --format TEMPLATE  How the line is put together, from
                         ${names.slice(0, 7).join(' ')}
                         ${names.slice(7).join(' ')}; {{ and }} are braces
      --ascii            No character beyond ASCII, as on a dumb terminal
      --window TOKENS    The agent's window, where you know better
  -h, --help             Show this help`;
	return text.split('\n').map((line) => [span(line)]);
}
