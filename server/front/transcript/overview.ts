/** `contextd` without arguments: the meter of the newest session, and what to type next. */

import { pathToFileURL } from 'node:url';
import { formatAge } from '../../core/figures.ts';
import { agents, findPluginAgent } from '../../core/transcript/agents.ts';
import { type ContextStats, contextStats } from '../../protocol/stats.ts';
import { contextDiscover, type Transcript } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { workFailed } from '../console/failure.ts';
import { createProgressLine, type ProgressLine } from '../console/progressLine.ts';
import { canvasOf, type FrontIo, writeLines } from '../console/terminal.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import { meterLine, remainingLine } from '../output/statsView.ts';
import { padEnd } from '../output/width.ts';
import { type StartCommandDaemon, taskLine } from './fileCommand.ts';
import { importSession, readingChoiceFor } from './importSession.ts';

/** A command line, and what it is good for. */
type Hint = readonly [line: string, purpose: string];

const help: Hint = ['contextd --help', 'all commands'];

/** Shows the meter of the newest session: of the working folder, else of any folder. */
export async function runOverview(io: FrontIo, start: StartCommandDaemon): Promise<void> {
	const daemon = await start();
	const progress = createProgressLine(io);
	try {
		const workspace = pathToFileURL(process.cwd()).href;
		const here = await newestTranscript(daemon, workspace);
		const newest = here ?? (await newestTranscript(daemon));
		if (newest === undefined) {
			progress.clear();
			return await writeLines(io.stdout, noSession(), io.env);
		}
		const stats = await statsOfFile(daemon, newest, progress);
		const { columns } = canvasOf(io.stdout, io.env);
		const title: Line = [
			span(newest.label, 'bold'),
			span(` · ${formatAge(Date.now() - newest.updatedAt)} · `, 'gray'),
			span(printableText(newest.title ?? '(no title)')),
		];
		const place: Line[] = here ? [] : [[span(`Not of this folder: ${printableText(newest.path)}`, 'gray')]];
		progress.clear();
		await writeLines(
			io.stdout,
			[
				clipLine(title, columns),
				...place,
				meterLine(stats, { columns }),
				remainingLine(stats),
				[],
				...hintLines(nextHints(stats, newest, here !== undefined)),
			],
			io.env,
		);
	} finally {
		progress.clear();
		await daemon.close();
	}
}

/** Shows only the meter of a file. */
export async function printMeterOf(file: string, io: FrontIo, start: StartCommandDaemon): Promise<void> {
	const daemon = await start();
	try {
		const stats = await statsOfFile(daemon, { path: file, size: 0 }, createProgressLine(io));
		const lines = [meterLine(stats, canvasOf(io.stdout, io.env)), remainingLine(stats)];
		await writeLines(io.stdout, lines, io.env);
	} finally {
		await daemon.close();
	}
}

async function newestTranscript(daemon: CommandDaemon, workspace?: string): Promise<Transcript | undefined> {
	const { transcripts } = await daemon.request(contextDiscover, { workspace });
	return transcripts[0];
}

async function statsOfFile(
	daemon: CommandDaemon,
	{ path, size }: Pick<Transcript, 'path' | 'size'>,
	progress: ProgressLine,
): Promise<ContextStats> {
	try {
		const file = { name: path, path, release: async () => undefined };
		const { sessionId } = await importSession(daemon, file, readingChoiceFor(size), (done) =>
			progress.show(taskLine('Reading', done), done.percentage),
		);
		const stats = await daemon.request(contextStats, { sessionId });
		if (stats === null) throw workFailed('the daemon accepted the messages but returned no stats');
		return stats;
	} finally {
		progress.clear();
	}
}

function noSession(): Line[] {
	return [
		[span('No session of an agent was found on this machine.')],
		[],
		...hintLines([
			['contextd setup', 'set up agents, editors and shells'],
			['contextd stats FILE', 'the meter of a history'],
			help,
		]),
	];
}

/** The commands that help most in this state. */
function nextHints(stats: ContextStats, { agent }: Transcript, isHere: boolean): Hint[] {
	const canInstall = agents.some(({ name, plugin }) => name === agent && plugin !== undefined);
	const isFed = findPluginAgent(stats.sessionId) !== undefined;
	const compact: Hint = ['contextd compact', 'what a compaction would free'];
	const fill: Hint = ['contextd stats', 'what fills it'];
	const isFull = stats.shouldCompact || stats.state !== 'healthy';
	const here = isFull ? [compact, fill] : [fill, compact];
	return [
		...(isHere ? here : [['contextd sessions --all', 'every session on this machine'] as const]),
		...(canInstall && !isFed ? [['contextd setup', 'compact and undo inside the agent'] as const] : []),
		help,
	];
}

function hintLines(hints: readonly Hint[]): Line[] {
	const width = Math.max(...hints.map(([line]) => line.length));
	return hints.map(([line, purpose]) => [
		span(`  ${padEnd(line, width)}`, 'cyan'),
		span(`  ${purpose}`, 'gray'),
	]);
}
