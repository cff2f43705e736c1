/** The common steps of file commands: open the input, start a daemon, load a session, stop the daemon. */

import { fstat } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { WorkDoneProgressReport } from 'vscode-languageserver-protocol';
import { contextDiscover } from '../../protocol/transcript.ts';
import { checkOutput } from '../console/checkOutput.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import { type InputFile, inputFile } from '../console/inputFile.ts';
import { createProgressLine, type ProgressLine } from '../console/progressLine.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import { importSession, type LoadedSession, type ModelChoice, type ReadingChoice } from './importSession.ts';

/** Starts the daemon that a command works with. */
export type StartCommandDaemon = () => Promise<CommandDaemon>;

/** The options about a command's file. */
export interface FileChoice extends ModelChoice {
	/**
	 * `-` is standard input; if absent, standard input if anything is piped to it, else the newest session of the
	 * folder.
	 */
	file?: string;
	/** Where the result goes; `-` is standard output. */
	output?: string;
}

/** A daemon with a session loaded from the command's input. */
export interface FileTask {
	daemon: CommandDaemon;
	session: LoadedSession;
	progress: ProgressLine;
}

/** The progress of a task as a line: `Reading 40% · …`. */
export function taskLine(task: string, { message, percentage }: Omit<WorkDoneProgressReport, 'kind'>): Line {
	const share = percentage === undefined ? '' : ` ${Math.round(percentage)}%`;
	return [span(`${task}${share}`), span(message ? ` · ${printableText(message)}` : '', 'gray')];
}

/** Returns the input of a command: the named file, standard input, or the newest session of the folder. */
async function inputOf(
	{ file, output }: FileChoice,
	io: FrontIo,
	daemon: () => Promise<CommandDaemon>,
): Promise<InputFile> {
	if (file !== undefined) return inputFile(file, () => io.stdin);
	if (await isHandedOver(io.stdin)) {
		const input = await inputFile('-', () => io.stdin);
		if (input.size !== 0) return input;
		// Programs that start others often leave an empty pipe there.
		await input.release();
	}
	const newest = await newestSession(await daemon());
	if (output !== undefined && output !== '-') await checkOutput(output, newest.path, io);
	const prefix = `The newest session here: ${newest.title === undefined ? '' : `${printableText(newest.title)}, `}`;
	await writeLines(io.stderr, [[span(`${prefix}${printableText(newest.path)}`, 'gray')]], io.env);
	return newest;
}

/**
 * Runs a command's work on its input; when it settles, the daemon has ended and the progress line is erased.
 * @param readingOf how to read an input of a size
 */
export async function withFile<Result>(
	command: FileChoice,
	readingOf: (bytes: number) => ReadingChoice,
	{ io, start }: { io: FrontIo; start: StartCommandDaemon },
	work: (work: FileTask) => Promise<Result>,
): Promise<Result> {
	let daemon: CommandDaemon | undefined;
	let input: InputFile | undefined;
	const started = async (): Promise<CommandDaemon> => {
		daemon ??= await start();
		return daemon;
	};
	const progress = createProgressLine(io);
	try {
		input = await inputOf(command, io, started);
		const running = await started();
		progress.show([span('Reading')]);
		const choice = { ...command, ...readingOf(input.size ?? 0) };
		const session = await importSession(running, input, choice, (done) =>
			progress.show(taskLine('Reading', done), done.percentage),
		);
		const result = await work({ daemon: running, session, progress });
		progress.clear();
		if (session.leftOut !== undefined) {
			await writeLines(io.stderr, [[span(printableText(session.leftOut), 'yellow')]], io.env);
		}
		return result;
	} finally {
		progress.clear();
		await daemon?.close();
		await input?.release();
	}
}

/** Whether standard input is a file or a pipe, rather than a terminal or nothing. */
async function isHandedOver({ isTTY, fd }: FrontIo['stdin']): Promise<boolean> {
	if (isTTY) return false;
	return fd === undefined || !(await promisify(fstat)(fd)).isCharacterDevice();
}

/**
 * The newest session of any agent in the working folder, as input for a command.
 * Throws with exit code 2 if there is none.
 */
async function newestSession(daemon: CommandDaemon): Promise<InputFile & { title?: string }> {
	const folder = process.cwd();
	const { transcripts } = await daemon.request(contextDiscover, { workspace: pathToFileURL(folder).href });
	const [newest] = transcripts;
	if (newest === undefined) {
		throw badInput(
			`no agent session in ${printableText(folder)}: expected a FILE, or messages on standard input; contextd sessions --all lists all sessions`,
		);
	}
	const { path, title, size } = newest;
	return { name: path, path, size, ...(title !== undefined && { title }), release: async () => undefined };
}
