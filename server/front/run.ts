/** Runs the terminal commands. */

import { RequestError } from '../client/errors.ts';
import type { AuditIo } from './audit/run.ts';
import { type Command, type HelpCommand, parseCommandLine } from './commandLine.ts';
import { runCompact } from './compact.ts';
import { writeCompletionScript } from './completion.ts';
import type { CommandDaemons, OpenDaemon } from './console/daemon.ts';
import { CommandFailure, createWorkFailure, describeSystemError } from './console/failure.ts';
import { measureColumns, writeLines, writeText } from './console/terminal.ts';
import { commandUsages } from './console/usage.ts';
import { type FindControl, runDaemonCommand } from './daemon/run.ts';
import { renderCommandHelp, renderHelp } from './help.ts';
import type { Machine } from './install/parts/agent.ts';
import { type Line, span } from './output/line.ts';
import { makePrintable } from './output/printable.ts';
import type { OpenWholeSession } from './restore/restoredTranscript.ts';
import { runStats } from './stats.ts';
import { runSessionCommand } from './stored/run.ts';
import { runExport } from './transcript/export.ts';
import type { ModelChoice } from './transcript/importSession.ts';
import { type PeekSession, runSessions } from './transcript/sessions.ts';
import { runWatch } from './transcript/watch.ts';

export interface FrontOptions extends AuditIo, CommandDaemons {
	/** Like `startDaemon`, but also reads the sessions that plugins stored in the state folder. */
	startReader: OpenDaemon;
	/** Serves an agent over MCP on the standard streams; resolves when the agent closes them. */
	serveMcp(): Promise<void>;
	/** Reads all of a transcript or recording. */
	openWholeSession: OpenWholeSession;
	/** Returns the operations on a state folder's daemon, such as stopping it. */
	findDaemon: FindControl;
	/** Returns how full a session is, read from its end; undefined if unknown. */
	peekSession: PeekSession;
	/** The machine on which contextd is installed into agents. */
	installMachine: Omit<Machine, 'version' | 'env'>;
	/** Ends commands that otherwise run until Ctrl-C; by default, signals to the process end them. */
	interruptSignal?: AbortSignal;
}

function renderHelpTopic({ topic }: HelpCommand, columns: number): Line[] {
	const usage = commandUsages.find(({ name }) => name === topic);
	return usage ? renderCommandHelp(usage, columns) : renderHelp(columns);
}

/** Returns the options with the locale `C`, which makes every part of a report ASCII. */
function forceAscii(options: FrontOptions): FrontOptions {
	return { ...options, env: { ...options.env, LC_ALL: 'C' } };
}

/** Returns whether the user names a model or window, so that the stored figures of a session do not apply. */
function hasModelChoice({ provider, model, window }: ModelChoice): boolean {
	return provider !== undefined || model !== undefined || window !== undefined;
}

function createMachine({ installMachine, version, env }: FrontOptions): Machine {
	return { ...installMachine, version, env };
}

async function runCommand(command: Command, options: FrontOptions): Promise<void> {
	switch (command.name) {
		case 'help':
			return writeLines(
				options.stdout,
				renderHelpTopic(command, measureColumns(options.stdout, options.env)),
				options.env,
			);
		case 'completion':
			return writeText(options.stdout, writeCompletionScript(command.shell));
		case 'version':
			return writeText(options.stdout, `contextd ${options.version}\n`);
		case 'overview':
			return (await import('./transcript/overview.ts')).runOverview(options, options.startReader);
		case 'stats':
			return runStats(
				command,
				command.isAscii ? forceAscii(options) : options,
				hasModelChoice(command) ? options.startDaemon : options.startReader,
			);
		case 'compact':
			return runCompact(command, options, options.startDaemon);
		case 'compact session':
		case 'undo':
		case 'history':
		case 'recall':
			return runSessionCommand(command, options, options.connectDaemon);
		case 'recall all':
			return (await import('./recall/run.ts')).runRecall(command, options, options.connectDaemon);
		case 'sessions':
			return runSessions(command, options, options.startReader, options.peekSession);
		case 'watch':
			return runWatch(command, options, options.connectDaemon, options.interruptSignal);
		case 'export':
			return runExport(command, options, options.startDaemon);
		case 'mcp':
			return options.serveMcp();
		case 'handoff':
			return (await import('./transcript/handoff.ts')).runHandoff(command, options, options);
		case 'audit':
			return (await import('./audit/run.ts')).runAudit(command, options);
		case 'record':
			return (await import('./record/run.ts')).runRecord(command, options, options.connectDaemon);
		case 'restore':
			return (await import('./restore/run.ts')).runRestore(command, options, options);
		case 'forget':
			return (await import('./forget/run.ts')).runForget(command, options, options.connectDaemon);
		case 'daemon':
			return runDaemonCommand(command, options, options.findDaemon);
		case 'install':
		case 'uninstall':
			return (await import('./install/installable.ts')).runInstall(command, createMachine(options), options);
		case 'purge':
			return (await import('./setup/purge.ts')).runPurge(command, createMachine(options), {
				...options,
				daemon: await options.findDaemon(undefined),
			});
		case 'doctor':
			return (await import('./doctor/run.ts')).runDoctor(command.agent, createMachine(options), options);
		case 'setup': {
			const { runSetup } = await import('./setup/run.ts');
			const { printFileMeter } = await import('./transcript/overview.ts');
			const { startDaemon } = options;
			return runSetup(command, createMachine(options), {
				...options,
				showSampleMeter: (file) => printFileMeter(file, options, startDaemon),
			});
		}
	}
}

/** Converts an error to a failure for the user; rethrows unexpected errors. */
function toFailure(error: unknown): CommandFailure {
	if (error instanceof CommandFailure) return error;
	if (error instanceof RequestError) return createWorkFailure(`the daemon refused: ${error.message}`);
	const { path, code } = error as NodeJS.ErrnoException;
	if (path !== undefined && code !== undefined)
		return createWorkFailure(`${path}: ${describeSystemError(error)}`);
	throw error;
}

/**
 * Runs the arguments' command. Returns the exit code: 0 done, 1 the work failed, 2 the input or arguments are
 * invalid. A failure is one line on standard error.
 * @param argv command line without the program and its file
 */
export async function runFront(argv: readonly string[], options: FrontOptions): Promise<number> {
	try {
		await runCommand(parseCommandLine(argv), options);
		return 0;
	} catch (error) {
		const { message, exitCode } = toFailure(error);
		const line = [span('contextd: ', 'red'), span(makePrintable(message))];
		await writeLines(options.stderr, [line], options.env);
		return exitCode;
	}
}
