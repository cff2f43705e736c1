import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contextDiscover, type Transcript } from '../../protocol/transcript.ts';
import { badInput, reasonOf } from '../failure.ts';
import type { StartDaemon } from '../fileCommand.ts';
import { agoText } from '../output/ago.ts';
import { bytes } from '../output/figures.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import { padEnd, padStart } from '../output/width.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from '../terminal.ts';
import type { SessionsCommand } from './commands.ts';

/** The transcripts that were found, one a line with its path below. */
export function sessionsView(transcripts: readonly Transcript[], now: number, columns: number): Line[] {
	const width = Math.max(...transcripts.map(({ agent }) => agent.length));
	return transcripts.flatMap(({ agent, title, path, size, updatedAt }) => [
		clipLine(
			[
				span(`${padEnd(agent, width)}  `, 'cyan'),
				span(`${padStart(agoText(updatedAt, now), 10)}  ${padStart(bytes(size), 8)}  `, 'gray'),
				span(printable(title ?? '(no title)')),
			],
			columns,
		),
		[span(`  ${printable(path)}`, 'gray')],
	]);
}

/** Fails with exit code 2 where a folder that the user names is none. */
async function checkFolder(name: string): Promise<void> {
	const found = await stat(name).catch((error: unknown) => {
		const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
		throw badInput(`${printable(name)}: ${isMissing ? 'no such folder' : reasonOf(error)}`);
	});
	if (!found.isDirectory()) throw badInput(`${printable(name)}: expected a folder, got a file`);
}

/** `contextd sessions`: the transcripts of agents that worked in a folder. */
export async function runSessions(command: SessionsCommand, io: FrontIo, start: StartDaemon): Promise<void> {
	if (command.folder !== undefined) await checkFolder(command.folder);
	const folder = resolve(command.folder ?? '.');
	const daemon = await start();
	try {
		// A daemon that was told of no folder looks everywhere.
		const workspace = command.all ? undefined : pathToFileURL(folder).href;
		const { transcripts } = await daemon.request(contextDiscover, { workspace });
		if (command.report === 'json') {
			await writeJson(io.stdout, transcripts);
			return;
		}
		const none: Line[] = [
			[
				span(
					command.all
						? 'No transcripts on this machine.'
						: `No transcripts of agents that worked in ${printable(folder)}.`,
				),
			],
		];
		const lines =
			transcripts.length === 0
				? none
				: sessionsView(transcripts, Date.now(), canvasOf(io.stdout, io.env).columns);
		await writeLines(io.stdout, lines, io.env);
	} finally {
		await daemon.close();
	}
}
