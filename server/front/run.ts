/** Runs the terminal commands. */

import { RequestError } from '../client/errors.ts';
import type { FoundSettings } from '../core/settings/layers.ts';
import type { AuditIo } from './audit/run.ts';
import { type Command, type HelpCommand, parseCommandLine } from './commandLine.ts';
import { runCompact } from './compact.ts';
import { completionText } from './completion.ts';
import { CommandFailure, systemErrorReason, workFailed } from './console/failure.ts';
import { canvasOf, type FrontIo, writeLines, writeText } from './console/terminal.ts';
import { commandUsages } from './console/usage.ts';
import { type DaemonOf, runDaemonCommand } from './daemon/run.ts';
import { commandHelpLines, helpLines } from './help.ts';
import type { InstallPlace } from './install/parts/agent.ts';
import { type Line, span } from './output/line.ts';
import { printableText } from './output/printable.ts';
import type { OpenWholeSession } from './restore/wholeSession.ts';
import { runStats } from './stats.ts';
import { runSessionCommand } from './stored/run.ts';
import { runExport } from './transcript/export.ts';
import type { StartCommandDaemon } from './transcript/fileCommand.ts';
import type { ModelChoice } from './transcript/importSession.ts';
import { type PeekSession, runSessions } from './transcript/sessions.ts';
import { runWatch } from './transcript/watch.ts';

export type { FrontIo } from './console/terminal.ts';

export interface FrontOptions extends FrontIo {
	version: string;
	startDaemon: StartCommandDaemon;
	/** Like `startDaemon`, but reads sessions that plugins feed from where their daemons store them. */
	startReader: StartCommandDaemon;
	/** Connects to the daemon that all clients of the user share, and starts it if none runs. */
	connectDaemon: StartCommandDaemon;
	/** Serves an agent over MCP on the standard streams; resolves when the agent closes them. */
	serveMcp(): Promise<void>;
	/** Reads a transcript or a recording as a whole. */
	openWhole: OpenWholeSession;
	/** The daemon of a state folder. */
	daemonOf: DaemonOf;
	/** How full a session is, from its end; undefined if unknown. */
	peek: PeekSession;
	/** The calls of models in all transcripts on this machine. */
	collectCalls: AuditIo['collectCalls'];
	openReplays: AuditIo['openReplays'];
	/** Returns the path of a folder as given, and its real path. */
	folderNames(folder: string): Promise<string[]>;
	/** The environment for installing contextd into agents. */
	installPlace: Omit<InstallPlace, 'version' | 'env'>;
	/** The settings files that apply in the working folder. */
	settingsFiles(): Promise<FoundSettings[]>;
	/** Ends commands that run until the user stops them; by default the signals of the process. */
	interrupted?: AbortSignal;
}

function helpOf({ topic }: HelpCommand, columns: number): Line[] {
	const usage = commandUsages.find(({ name }) => name === topic);
	return usage ? commandHelpLines(usage, columns) : helpLines(columns);
}

/** The options of a command with an ASCII report: the locale `C` has that effect everywhere. */
function inAscii(options: FrontOptions): FrontOptions {
	return { ...options, env: { ...options.env, LC_ALL: 'C' } };
}

/** Returns whether the user asks about another model: then the figures are those of the transcript. */
function isOfOtherModel({ provider, model, window }: ModelChoice): boolean {
	return provider !== undefined || model !== undefined || window !== undefined;
}

function placeOf({ installPlace, version, env }: FrontOptions): InstallPlace {
	return { ...installPlace, version, env };
}

async function run(command: Command, options: FrontOptions): Promise<void> {
	switch (command.name) {
		case 'help':
			return writeLines(
				options.stdout,
				helpOf(command, canvasOf(options.stdout, options.env).columns),
				options.env,
			);
		case 'completion':
			return writeText(options.stdout, completionText(command.shell));
		case 'version':
			return writeText(options.stdout, `contextd ${options.version}\n`);
		case 'overview':
			return (await import('./transcript/overview.ts')).runOverview(options, options.startReader);
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
			return runSessionCommand(command, options, options.connectDaemon);
		case 'recall all':
			return (await import('./recall/run.ts')).runRecall(command, options, options.connectDaemon);
		case 'sessions':
			return runSessions(command, options, options.startReader, options.peek);
		case 'watch':
			return runWatch(command, options, options.connectDaemon, options.interrupted);
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
			return runDaemonCommand(command, options, options.daemonOf);
		case 'install':
		case 'uninstall':
			return (await import('./install/run.ts')).runInstall(command, placeOf(options), options);
		case 'purge':
			return (await import('./setup/purge.ts')).runPurge(command, placeOf(options), {
				...options,
				daemon: await options.daemonOf(undefined),
				connectDaemon: options.connectDaemon,
			});
		case 'doctor':
			return (await import('./doctor/run.ts')).runDoctor(command.agent, placeOf(options), options);
		case 'setup': {
			const { runSetup } = await import('./setup/run.ts');
			const { printMeterOf } = await import('./transcript/overview.ts');
			const { startDaemon } = options;
			return runSetup(command, placeOf(options), {
				...options,
				start: startDaemon,
				connectDaemon: options.connectDaemon,
				showSample: (file) => printMeterOf(file, options, startDaemon),
			});
		}
	}
}

/** Converts an error to a failure for the user; rethrows unexpected errors. */
function failureOf(error: unknown): CommandFailure {
	if (error instanceof CommandFailure) return error;
	if (error instanceof RequestError) return new CommandFailure(`the daemon refused: ${error.message}`, 1);
	const { path, code } = error as NodeJS.ErrnoException;
	if (path !== undefined && code !== undefined) return workFailed(`${path}: ${systemErrorReason(error)}`);
	throw error;
}

/**
 * Runs the arguments' command. Exit codes: 0 done, 1 the work failed, 2 the input or arguments are invalid.
 * A failure is one line on standard error.
 * @param argv without the program and its file
 */
export async function runFront(argv: readonly string[], options: FrontOptions): Promise<number> {
	try {
		await run(parseCommandLine(argv), options);
		return 0;
	} catch (error) {
		const { message, exitCode } = failureOf(error);
		const line = [span('contextd: ', 'red'), span(printableText(message))];
		await writeLines(options.stderr, [line], options.env);
		return exitCode;
	}
}
