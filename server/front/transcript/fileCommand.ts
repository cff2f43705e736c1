/** The common steps of file commands: open the input, start a daemon, load a session, stop the daemon. */

import { fstat } from 'node:fs';
import { promisify } from 'node:util';
import type { WorkDoneProgressReport } from 'vscode-languageserver-protocol';
import { checkOutput } from '../console/checkOutput.ts';
import type { CommandDaemon, OpenDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { type InputFile, openInputFile } from '../console/inputFile.ts';
import { createProgressLine, type ProgressLine } from '../console/progressLine.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { requestNewestTranscript } from './findSession.ts';
import { type ImportScope, importSession, type LoadedSession, type ModelChoice } from './importSession.ts';

/** The options of a command about its files. */
export interface FileChoice extends ModelChoice {
	/**
	 * Input file; `-` is standard input. Absent: standard input if something is piped in, else the newest session of
	 * the folder.
	 */
	file?: string;
	/** File for the result; `-` is standard output. */
	output?: string;
}

/** A daemon with a session loaded from the command's input. */
export interface FileTask {
	daemon: CommandDaemon;
	session: LoadedSession;
	progress: ProgressLine;
}

interface FileTaskContext {
	io: FrontIo;
	start: OpenDaemon;
	/** Returns how much of an input of this many bytes to read and count; by default all messages. */
	chooseScope?(bytes: number): ImportScope;
}

/** Renders the progress of a task as a line, such as `Reading 40% · …`. */
export function renderTask(
	task: string,
	{ message, percentage }: Omit<WorkDoneProgressReport, 'kind'>,
): Line {
	const share = percentage === undefined ? '' : ` ${Math.round(percentage)}%`;
	return [span(`${task}${share}`), span(message ? ` · ${makePrintable(message)}` : '', 'gray')];
}

/** Returns the input of a command: the named file, standard input, or the newest session of the folder. */
async function openInput(
	{ file, output }: FileChoice,
	io: FrontIo,
	daemon: () => Promise<CommandDaemon>,
): Promise<InputFile> {
	if (file !== undefined) return openInputFile(file, () => io.stdin);
	if (await isFileOrPipe(io.stdin)) {
		const input = await openInputFile('-', () => io.stdin);
		if (input.size !== 0) return input;
		// Programs that start contextd often pass it an empty pipe.
		await input.release();
	}
	const newest = await findNewestSession(await daemon());
	if (output !== undefined && output !== '-') await checkOutput(output, newest.path, io);
	const prefix = `The newest session here: ${newest.title === undefined ? '' : `${makePrintable(newest.title)}, `}`;
	await writeLines(io.stderr, [[span(`${prefix}${makePrintable(newest.path)}`, 'gray')]], io.env);
	return newest;
}

/** Runs a command's work on its input. When the promise settles, the daemon has ended and the progress line is erased. */
export async function runWithFile<Result>(
	command: FileChoice,
	{ io, start, chooseScope }: FileTaskContext,
	run: (task: FileTask) => Promise<Result>,
): Promise<Result> {
	let daemon: CommandDaemon | undefined;
	let input: InputFile | undefined;
	const startOnce = async (): Promise<CommandDaemon> => {
		daemon ??= await start();
		return daemon;
	};
	const progress = createProgressLine(io);
	try {
		input = await openInput(command, io, startOnce);
		const commandDaemon = await startOnce();
		progress.show([span('Reading')]);
		const choice = { ...command, ...chooseScope?.(input.size ?? 0) };
		const session = await importSession(commandDaemon, input, choice, (value) =>
			progress.show(renderTask('Reading', value), value.percentage),
		);
		const result = await run({ daemon: commandDaemon, session, progress });
		progress.clear();
		if (session.skipWarning !== undefined)
			await writeLines(io.stderr, [[span(makePrintable(session.skipWarning), 'yellow')]], io.env);
		return result;
	} finally {
		progress.clear();
		await daemon?.close();
		await input?.release();
	}
}

/** Returns whether standard input is a file or a pipe, rather than a terminal or nothing. */
async function isFileOrPipe({ isTTY, fd }: FrontIo['stdin']): Promise<boolean> {
	if (isTTY) return false;
	return fd === undefined || !(await promisify(fstat)(fd)).isCharacterDevice();
}

/**
 * Returns the newest session of any agent in the working folder, as input for a command. Throws with exit code 2 if
 * there is none.
 */
async function findNewestSession(daemon: CommandDaemon): Promise<InputFile & { title?: string }> {
	const folder = process.cwd();
	const newest = await requestNewestTranscript(daemon, folder);
	if (newest === undefined) {
		throw createInputFailure(
			`no agent session in ${makePrintable(folder)}: expected a FILE, or messages on standard input; contextd sessions --all lists all sessions`,
		);
	}
	const { path, title, size } = newest;
	return { name: path, path, size, ...(title !== undefined && { title }), release: async () => undefined };
}
