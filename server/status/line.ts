/** What both status commands do: read the arguments, print one line, and say what went wrong. */

import { homedir } from 'node:os';
import { CommandFailure } from '../front/console/failure.ts';
import { colouringFor, isAsciiOnly } from '../front/console/terminal.ts';
import { type Line, linesText } from '../front/output/line.ts';
import { printable } from '../front/output/printable.ts';
import type { Surroundings } from '../node/transcript/discover/surroundings.ts';
import { type StatusOptions, statusOptions } from './commandLine.ts';
import type { StatusFigures } from './figures.ts';
import { statusHelp } from './help.ts';
import { writeOutput } from './pipes.ts';
import { filled, usualLine } from './template.ts';

/** One of the two commands. */
export interface StatusCommand {
	name: 'status' | 'statusline';
	/** Whether what it prints is shown in colours. */
	isShown: boolean;
	/** What it tells; nothing is printed for undefined. */
	figures(options: StatusOptions, around: Surroundings): Promise<StatusFigures | undefined>;
}

async function lineOf(command: StatusCommand): Promise<Line[]> {
	const options = statusOptions(command.name, process.argv.slice(3));
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
	try {
		writeOutput(linesText(await lineOf(command), colouringFor(command.isShown, process.env)));
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		process.stderr.write(`contextd: ${printable(message)}\n`);
		process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
	}
}
