/** The common part of both status commands: arguments, one printed line, and errors. */

import { homedir } from 'node:os';
import { errorText } from '../core/failure.ts';
import { type OptionTable, parseOperand, parseOptions, parseTokenCount } from '../front/console/arguments.ts';
import { CommandFailure } from '../front/console/failure.ts';
import { chooseColouring, isAsciiOnly } from '../front/console/terminal.ts';
import { flowLine, formatLines, type Line, span } from '../front/output/line.ts';
import { makePrintable } from '../front/output/printable.ts';
import type { AgentEnvironment } from '../node/transcript/agentEnvironment.ts';
import { isTerminal, writeOutput } from './pipes.ts';
import {
	checkTemplate,
	fillTemplate,
	renderDefaultLine,
	rendererByPlaceholder,
	type StatusFigures,
} from './template.ts';

/** One of the two status commands. */
export interface StatusCommand {
	name: 'status' | 'statusline';
	/** Whether the program that shows the output supports colours. */
	canShowColours: boolean;
	/** Returns the figures to show; undefined if nothing is to be printed. */
	measure(options: StatusOptions, machine: AgentEnvironment): Promise<StatusFigures | undefined>;
	/** Returns another program's lines to print above ours, without the last line end; empty if there are none. Never fails. */
	runOtherLine?(options: StatusOptions): Promise<string>;
}

async function renderOutput(command: StatusCommand, options: StatusOptions): Promise<Line[]> {
	if (options.wantsHelp) return renderStatusHelp(command.name).flatMap(fitToTerminal);
	const machine = { environment: process.env, home: homedir(), platform: process.platform };
	const figures = await command.measure(options, machine);
	if (figures === undefined) return [];
	const { template } = options;
	const isAscii = options.isAscii || isAsciiOnly(process.env);
	return [
		template === undefined
			? renderDefaultLine(figures, isAscii, findColumns())
			: fillTemplate(template, figures, isAscii),
	];
}

/** Returns the width of the terminal; undefined if it is unknown. */
function findColumns(): number | undefined {
	const columns = Number(process.env.COLUMNS) || (isTerminal() ? process.stdout.columns : 0);
	return columns > 0 ? columns : undefined;
}

/** Wraps the line if the width of the terminal is known. */
function fitToTerminal(line: Line): Line[] {
	return flowLine(line, findColumns() ?? Number.POSITIVE_INFINITY);
}

/** Runs a status command. Exit codes: 0 success, 1 failure, 2 invalid arguments or input. */
export async function printStatus(command: StatusCommand): Promise<void> {
	let otherLine: Promise<string> | undefined;
	try {
		const options = parseStatusOptions(command.name, process.argv.slice(3));
		otherLine = options.wantsHelp ? undefined : command.runOtherLine?.(options);
		const canShowColours = options.wantsHelp ? isTerminal() : command.canShowColours;
		const ownText = formatLines(
			await renderOutput(command, options),
			chooseColouring(canShowColours, process.env),
		);
		const otherText = (await otherLine) || '';
		writeOutput(otherText === '' ? ownText : `${otherText}\n${ownText}`);
	} catch (error) {
		const otherText = (await otherLine) || '';
		if (otherText !== '') return writeOutput(`${otherText}\n`);
		const message = errorText(error);
		process.stderr.write(formatLines(fitToTerminal([span(`contextd: ${makePrintable(message)}`)]), 'plain'));
		process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
	}
}

/** Options of both status commands. */
interface StatusOptions {
	/** The format of the line; absent: the default line. */
	template?: string;
	/** Whether only ASCII characters are used. */
	isAscii: boolean;
	/** Tokens of the agent's window, if the user states it. */
	window?: number;
	wantsHelp: boolean;
	/** The folder whose newest session is shown; by default the current one. */
	folder?: string;
	/** The command of another status line, below which ours is printed. */
	below?: string;
}

const optionSchema = {
	format: { type: 'string', short: 'f' },
	ascii: { type: 'boolean' },
	window: { type: 'string' },
	help: { type: 'boolean', short: 'h' },
	below: { type: 'string' },
} as const satisfies OptionTable;

/**
 * Parses the arguments after the name of a status command; throws with exit code 2 if they are invalid.
 * @param command name of the command
 */
function parseStatusOptions(command: 'status' | 'statusline', args: string[]): StatusOptions {
	const { below, ...usual } = optionSchema;
	const schema: OptionTable = command === 'statusline' ? optionSchema : usual;
	const { values, positionals } = parseOptions(command, args, schema as typeof optionSchema);
	if (values.format !== undefined) checkTemplate(command, values.format);
	return {
		template: values.format,
		isAscii: values.ascii === true,
		window: parseTokenCount(values.window, `${command}: --window`),
		wantsHelp: values.help === true,
		folder: parseOperand(command, positionals),
		below: values.below,
	};
}

const settingsExample = '{"statusLine": {"type": "command", "command": "contextd statusline"}}';

const helpTexts = {
	statusline: `Usage: contextd statusline [options]

One line for Claude Code: how full the session is, relative to the size at which Claude Code
compacts, how many tokens are left, and, during the last minutes of the provider's cache, when it
expires and what that costs.
Reads what Claude Code passes to a status line on standard input. In ~/.claude/settings.json:

  ${settingsExample}
`,
	status: `Usage: contextd status [options] [FOLDER]

One line for tmux, a shell's prompt or an editor: how full the newest session of any agent in the
folder is, how many tokens are left, and, during the last minutes of the provider's cache, when it
expires and what that costs. Prints nothing if no agent worked there.

  tmux      set -g status-right '#(contextd status -f "#[fg={color}]{percent}" #{q:pane_current_path})'
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
export function renderStatusHelp(command: 'status' | 'statusline'): Line[] {
	const names = Object.keys(rendererByPlaceholder).map((name) => `{${name}}`);
	const text = `${helpTexts[command]}
Options:
  -f, --format TEMPLATE  Format of the line, with
                         ${names.slice(0, 7).join(' ')}
                         ${names.slice(7).join(' ')}; {{ and }} print braces
      --ascii            Use only ASCII characters, as on a dumb terminal
      --window TOKENS    Size of the agent's window, if contextd gets it wrong
${command === 'statusline' ? belowHelp : ''}  -h, --help             Show this help`;
	const [about = '', list = ''] = text.split('\nOptions:\n');
	return [
		...about.split('\n').map((line): Line => [span(line, line.startsWith('  ') ? 'cyan' : 'plain')]),
		[span('Options:')],
		...list.split('\n').map((line): Line => [span(line)]),
	];
}
