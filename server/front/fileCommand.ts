/** What every command on a file does: open the input, start a daemon, fill a session, and end the daemon again. */

import type { WorkDoneProgress } from '../protocol/declaration.ts';
import type { Counting } from '../protocol/transcript.ts';
import type { CompactCommand, StatsCommand } from './commandLine.ts';
import type { Daemon } from './daemon.ts';
import { inputFile } from './inputFile.ts';
import { type Line, span } from './output/line.ts';
import { printable } from './output/printable.ts';
import { createProgressLine, type ProgressLine } from './progressLine.ts';
import { type FrontIo, writeLines } from './terminal.ts';
import { importSession, type LoadedSession } from './transcript/importSession.ts';

/** Starts the daemon that a command works with. */
export type StartDaemon = () => Promise<Daemon>;

/** A daemon with a session that holds the command's input. */
export interface FileWork {
	daemon: Daemon;
	session: LoadedSession;
	progress: ProgressLine;
}

function readingLine({ message, percentage }: WorkDoneProgress): Line {
	const share = percentage === undefined ? '' : ` ${Math.round(percentage)}%`;
	return [span(`Reading${share}`), span(message ? ` · ${printable(message)}` : '', 'gray')];
}

/**
 * Runs a command's work on its input; the daemon is gone and the progress erased when it resolves or rejects.
 * @param counting which of its messages are counted as the estimator says
 */
export async function withFile<Result>(
	command: StatsCommand | CompactCommand,
	counting: Counting,
	io: FrontIo,
	start: StartDaemon,
	work: (work: FileWork) => Promise<Result>,
): Promise<Result> {
	const input = await inputFile(command.file, io.stdin);
	const progress = createProgressLine(io);
	try {
		const daemon = await start();
		try {
			progress.show([span('Reading')]);
			const session = await importSession(daemon, input, { ...command, counting }, (done) =>
				progress.show(readingLine(done)),
			);
			const result = await work({ daemon, session, progress });
			progress.clear();
			if (session.leftOut !== undefined) {
				await writeLines(io.stderr, [[span(printable(session.leftOut), 'yellow')]], io.env);
			}
			return result;
		} finally {
			await daemon.close();
		}
	} finally {
		progress.clear();
		await input.release();
	}
}
