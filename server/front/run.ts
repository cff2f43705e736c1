/** The terminal front: what people type, and what they get to see. */

import { RequestError } from '../client/errors.ts';
import { type Command, type HelpCommand, parseCommandLine } from './commandLine.ts';
import { runCompact } from './compact.ts';
import { completionText } from './completion.ts';
import { CommandFailure, reasonOf, workFailed } from './console/failure.ts';
import { type FrontIo, writeLines, writeText } from './console/terminal.ts';
import { commandUsages } from './console/usage.ts';
import { type DaemonOf, runDaemonCommand } from './daemon/run.ts';
import { commandHelpLines, helpLines } from './help.ts';
import type { InstallPlace } from './install/parts/agent.ts';
import { runSession } from './kept/run.ts';
import { type Line, span } from './output/line.ts';
import { printable } from './output/printable.ts';
import { runStats } from './stats.ts';
import { runExport } from './transcript/export.ts';
import type { StartDaemon } from './transcript/fileCommand.ts';
import type { ModelChoice } from './transcript/importSession.ts';
import { type Glance, runSessions } from './transcript/sessions.ts';
import { runWatch } from './transcript/watch.ts';

export type { FrontIo } from './console/terminal.ts';

export interface FrontOptions extends FrontIo {
	version: string;
	startDaemon: StartDaemon;
	/** As `startDaemon`, one that reads the sessions that plugins feed as their daemons store them. */
	startReader: StartDaemon;
	/** Connects to the daemon that all clients of the user share, and starts it if none runs. */
	connectDaemon: StartDaemon;
	/** The process that serves all clients. */
	daemonOf: DaemonOf;
	/** How full a session is, by a look at its end; undefined where that cannot be told. */
	glance: Glance;
	/** Where contextd is installed into agents. */
	installPlace: Omit<InstallPlace, 'version' | 'env'>;
	/** Ends what runs until the user ends it; the process's own signals where absent. */
	interrupted?: AbortSignal;
}

function helpOf({ topic }: HelpCommand): Line[] {
	const usage = commandUsages.find(({ name }) => name === topic);
	return usage ? commandHelpLines(usage) : helpLines();
}

/** Returns the options of a command whose report keeps to ASCII: the locale `C` asks for that everywhere. */
function inAscii(options: FrontOptions): FrontOptions {
	return { ...options, env: { ...options.env, LC_ALL: 'C' } };
}

/** Whether the user asks what a transcript would come to elsewhere: the whole of it then, not what a plugin sends. */
function isOfOtherModel({ provider, model, window }: ModelChoice): boolean {
	return provider !== undefined || model !== undefined || window !== undefined;
}

async function run(command: Command, options: FrontOptions): Promise<void> {
	switch (command.name) {
		case 'help':
			return writeLines(options.stdout, helpOf(command), options.env);
		case 'completion':
			return writeText(options.stdout, completionText(command.shell));
		case 'version':
			return writeText(options.stdout, `contextd ${options.version}\n`);
		case 'stats':
			return runStats(
				command,
				command.isAscii ? inAscii(options) : options,
				isOfOtherModel(command) ? options.startDaemon : options.startReader,
			);
		case 'compact':
			return runCompact(command, options, options.startDaemon);
		case 'compact session':
		case 'undo':
		case 'history':
		case 'recall':
			return runSession(command, options, options.connectDaemon);
		case 'sessions':
			return runSessions(command, options, options.startReader, options.glance);
		case 'watch':
			return runWatch(command, options, options.connectDaemon, options.interrupted);
		case 'export':
			return runExport(command, options, options.startDaemon);
		case 'daemon':
			return runDaemonCommand(command, options, options.daemonOf);
		case 'install':
		case 'uninstall':
		case 'doctor': {
			const { installPlace, version, env } = options;
			const { runInstall } = await import('./install/run.ts');
			return runInstall(command, { ...installPlace, version, env }, options);
		}
	}
}

/** The failure that an error means to the user; anything unforeseen is thrown on. */
function failureOf(error: unknown): CommandFailure {
	if (error instanceof CommandFailure) return error;
	if (error instanceof RequestError) return new CommandFailure(`the daemon refused: ${error.message}`, 1);
	const { path, code } = error as NodeJS.ErrnoException;
	if (path !== undefined && code !== undefined) return workFailed(`${path}: ${reasonOf(error)}`);
	throw error;
}

/**
 * Runs what the arguments ask for, and gives the exit code: 0 done, 1 the work failed, 2 the input or the
 * arguments cannot be used. A failure is one line on the error output.
 * @param argv without the program and its file
 */
export async function runFront(argv: readonly string[], options: FrontOptions): Promise<number> {
	try {
		await run(parseCommandLine(argv), options);
		return 0;
	} catch (error) {
		const { message, exitCode } = failureOf(error);
		const line = [span('contextd: ', 'red'), span(printable(message))];
		await writeLines(options.stderr, [line], options.env);
		return exitCode;
	}
}
