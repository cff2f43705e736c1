/** What both status commands do: read the arguments, print one line, and say what went wrong. */

import { homedir } from 'node:os';
import { fileOf, type OptionTable, parseOptions, tokensArgument } from '../front/console/arguments.ts';
import { CommandFailure } from '../front/console/failure.ts';
import { colouringFor, isAsciiOnly } from '../front/console/terminal.ts';
import { type Line, linesText, span } from '../front/output/line.ts';
import { printable } from '../front/output/printable.ts';
import type { Surroundings } from '../node/transcript/discover/surroundings.ts';
import { writeOutput } from './pipes.ts';
import { checkTemplate, filled, parts, type StatusFigures, usualLine } from './template.ts';

/** One of the two commands. */
export interface StatusCommand {
	name: 'status' | 'statusline';
	/** Whether what it prints is shown in colours. */
	isShown: boolean;
	/** What it tells; nothing is printed for undefined. */
	figures(options: StatusOptions, around: Surroundings): Promise<StatusFigures | undefined>;
	/** What stands above our own line, without the end of its last line; empty where that is nothing. Never fails. */
	above?(options: StatusOptions): Promise<string>;
}

async function lineOf(command: StatusCommand, options: StatusOptions): Promise<Line[]> {
	if (options.wantsHelp) return statusHelp(command.name);
	const around = { environment: process.env, home: homedir(), platform: process.platform };
	const figures = await command.figures(options, around);
	if (figures === undefined) return [];
	const { template } = options;
	const isAscii = options.isAscii || isAsciiOnly(process.env);
	return [template === undefined ? usualLine(figures, isAscii) : filled(template, figures, isAscii)];
}

/** Runs a status command as the process that it is: 0 done, 1 it failed, 2 the arguments or the input make no sense. */
export async function printStatus(command: StatusCommand): Promise<void> {
	let above: Promise<string> | undefined;
	try {
		const options = statusOptions(command.name, process.argv.slice(3));
		above = options.wantsHelp ? undefined : command.above?.(options);
		const own = linesText(await lineOf(command, options), colouringFor(command.isShown, process.env));
		const theirs = (await above) || '';
		writeOutput(theirs === '' ? own : `${theirs}\n${own}`);
	} catch (error) {
		const theirs = (await above) || '';
		if (theirs !== '') return writeOutput(`${theirs}\n`);
		const message = error instanceof Error ? error.message : String(error);
		process.stderr.write(`contextd: ${printable(message)}\n`);
		process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
	}
}

/** What both status commands take. */
interface StatusOptions {
	/** How the line is put together; the usual way where absent. */
	template?: string;
	/** With no character beyond ASCII. */
	isAscii: boolean;
	/** Tokens of the agent's window, where the user knows better. */
	window?: number;
	wantsHelp: boolean;
	/** The folder whose newest session is meant; the current one where absent. */
	folder?: string;
	/** The command of another status line, which is shown above ours. */
	below?: string;
}

const options = {
	format: { type: 'string', short: 'f' },
	ascii: { type: 'boolean' },
	window: { type: 'string' },
	help: { type: 'boolean', short: 'h' },
	below: { type: 'string' },
} as const satisfies OptionTable;

/**
 * Reads the arguments behind the name of a status command; fails with exit code 2 where they make no sense.
 * @param command its name
 */
function statusOptions(command: 'status' | 'statusline', args: string[]): StatusOptions {
	const { below, ...usual } = options;
	const known: OptionTable = command === 'statusline' ? options : usual;
	const { values, positionals } = parseOptions(command, args, known as typeof options);
	if (values.format !== undefined) checkTemplate(command, values.format);
	return {
		template: values.format,
		isAscii: values.ascii === true,
		window: tokensArgument(values.window, `${command}: --window`),
		wantsHelp: values.help === true,
		folder: fileOf(command, positionals),
		below: values.below,
	};
}

const settings = '{"statusLine": {"type": "command", "command": "contextd statusline"}}';

const texts = {
	statusline: `Usage: contextd statusline [options]

One line for Claude Code: how full the session is up to where Claude Code compacts by itself,
what is left, and how many tokens you pay for again if the provider's cache expires. Reads what
Claude Code hands a status line on the standard input. In ~/.claude/settings.json:

  ${settings}
`,
	status: `Usage: contextd status [options] [FOLDER]

One line for tmux, a shell's prompt or an editor: how full the newest session of any agent in the
folder is, what is left, and how many tokens you pay for again if the provider's cache expires.
Prints nothing if no agent worked there.

  tmux      set -g status-right '#(contextd status -f "#[fg={color}]{percent}" "#{pane_current_path}")'
  starship  [custom.context]
            command = "contextd status -f '{percent}'"
            when = true
  bash      PS1='$(contextd status -f "{percent} ")'"$PS1"
  zsh       RPROMPT='$(contextd status -f "%F{{{color}}}{number}%%%f")'  # with setopt prompt_subst
  Neovim    :echo system('contextd status')
`,
} as const;

const belowHelp = `      --below COMMAND    Run another status line's command too, and show it above
`;

/** Returns the help of a status command. */
export function statusHelp(command: 'status' | 'statusline'): Line[] {
	const names = Object.keys(parts).map((name) => `{${name}}`);
	const text = `${texts[command]}
Options:
  -f, --format TEMPLATE  How the line is put together, from
                         ${names.slice(0, 7).join(' ')}
                         ${names.slice(7).join(' ')}; {{ and }} are braces
      --ascii            No character beyond ASCII, as on a dumb terminal
      --window TOKENS    The agent's window, where you know better
${command === 'statusline' ? belowHelp : ''}  -h, --help             Show this help`;
	return text.split('\n').map((line) => [span(line)]);
}
