/** What every command on a file does: open the input, start a daemon, fill a session, and end the daemon again. */

import type { CompactCommand, StatsCommand } from './commandLine.ts';
import type { Daemon } from './daemon.ts';
import { openSource } from './input/source.ts';
import { type LoadedSession, type LoadProgress, loadSession } from './load.ts';
import { bytes, countOf, percent } from './output/figures.ts';
import { type Line, span } from './output/line.ts';
import { createProgressLine, type ProgressLine } from './progressLine.ts';
import type { FrontIo } from './terminal.ts';
import { importSession } from './transcript/importSession.ts';
import { kindOfFile } from './transcript/recognize.ts';

/** Starts the daemon that a command works with. */
export type StartDaemon = () => Promise<Daemon>;

/** A daemon with a session that holds the command's input. */
export interface FileWork {
	daemon: Daemon;
	session: LoadedSession;
	progress: ProgressLine;
}

function readingLine({ read, size, messages }: LoadProgress): Line {
	const amount = size === undefined ? bytes(read) : `${percent(Math.min(1, read / size))} of ${bytes(size)}`;
	return [span(`Reading ${amount}`), span(` · ${countOf(messages, 'message')}`, 'gray')];
}

/** Runs a command's work on its input; the daemon is gone and the progress erased when it resolves or rejects. */
export async function withFile<Result>(
	command: StatsCommand | CompactCommand,
	io: FrontIo,
	start: StartDaemon,
	work: (work: FileWork) => Promise<Result>,
): Promise<Result> {
	const { file } = command;
	const kind = file === undefined || file === '-' ? 'messages' : await kindOfFile(file);
	const source = kind === 'messages' ? await openSource(file, io.stdin) : undefined;
	const progress = createProgressLine(io);
	try {
		const daemon = await start();
		try {
			progress.show([span('Reading')]);
			const session = source
				? await loadSession(daemon, source, command, (state) => progress.show(readingLine(state)))
				: await importSession(daemon, file ?? '', command);
			return await work({ daemon, session, progress });
		} finally {
			await daemon.close();
		}
	} finally {
		progress.clear();
	}
}
