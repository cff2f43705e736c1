/** `contextd` without arguments: the meter of the newest session, and what to type next. */

import { formatAge } from '../../core/figures.ts';
import { agents, findPluginAgent } from '../../core/transcript/index.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import type { Transcript } from '../../protocol/transcript.ts';
import { type CommandDaemon, type OpenDaemon, requestStats, useDaemon } from '../console/daemon.ts';
import { createProgressLine, type ProgressLine } from '../console/progressLine.ts';
import { type FrontIo, measureColumns, writeLines } from '../console/terminal.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { renderMeter, renderRemainingTokens } from '../output/statsView.ts';
import { padEnd } from '../output/width.ts';
import { renderTask } from './fileCommand.ts';
import { requestNewestTranscript } from './findSession.ts';
import { chooseImportScope, importSession } from './importSession.ts';

type Hint = readonly [line: string, purpose: string];

const helpHint: Hint = ['contextd --help', 'all commands'];

/** Shows the meter of the newest session of the working folder or, without one, of any folder. */
export async function runOverview(io: FrontIo, start: OpenDaemon): Promise<void> {
	const daemon = await start();
	const progress = createProgressLine(io);
	try {
		const folderSession = await requestNewestTranscript(daemon, process.cwd());
		const newest = folderSession ?? (await requestNewestTranscript(daemon));
		if (newest === undefined) {
			progress.clear();
			return await writeLines(io.stdout, renderNoSession(), io.env);
		}
		const stats = await measureFile(daemon, newest, progress);
		const columns = measureColumns(io.stdout, io.env);
		const title: Line = [
			span(newest.label, 'bold'),
			span(` · ${formatAge(Date.now() - newest.updatedAt)} · `, 'gray'),
			span(makePrintable(newest.title ?? '(no title)')),
		];
		const origin: Line[] = folderSession
			? []
			: [[span(`From another folder: ${makePrintable(newest.path)}`, 'gray')]];
		progress.clear();
		await writeLines(
			io.stdout,
			[
				clipLine(title, columns),
				...origin,
				renderMeter(stats, columns),
				renderRemainingTokens(stats),
				[],
				...renderHints(chooseHints(stats, newest, folderSession !== undefined)),
			],
			io.env,
		);
	} finally {
		progress.clear();
		await daemon.close();
	}
}

/** Shows only the meter of a file. */
export async function printFileMeter(file: string, io: FrontIo, start: OpenDaemon): Promise<void> {
	return useDaemon(start, async (daemon) => {
		const stats = await measureFile(daemon, { path: file, size: 0 }, createProgressLine(io));
		const lines = [renderMeter(stats, measureColumns(io.stdout, io.env)), renderRemainingTokens(stats)];
		await writeLines(io.stdout, lines, io.env);
	});
}

async function measureFile(
	daemon: CommandDaemon,
	{ path, size }: Pick<Transcript, 'path' | 'size'>,
	progress: ProgressLine,
): Promise<ContextStats> {
	try {
		const { sessionId } = await importSession(
			daemon,
			{ name: path, path },
			chooseImportScope(size),
			(value) => progress.show(renderTask('Reading', value), value.percentage),
		);
		return await requestStats(daemon, sessionId);
	} finally {
		progress.clear();
	}
}

function renderNoSession(): Line[] {
	return [
		[span('No session of an agent was found on this machine.')],
		[],
		...renderHints([
			['contextd setup', 'set up agents, editors and shells'],
			['contextd stats FILE', 'the meter of a history'],
			helpHint,
		]),
	];
}

/** Returns the commands that help most in the state of this session. */
function chooseHints(stats: ContextStats, { agent }: Transcript, isHere: boolean): Hint[] {
	const canInstall = agents.some(({ name, plugin }) => name === agent && plugin !== undefined);
	const hasPlugin = findPluginAgent(stats.sessionId) !== undefined;
	const compactHint: Hint = ['contextd compact', 'what a compaction would free'];
	const statsHint: Hint = ['contextd stats', 'what fills it'];
	const isFull = stats.shouldCompact || stats.state !== 'healthy';
	const folderHints = isFull ? [compactHint, statsHint] : [statsHint, compactHint];
	return [
		...(isHere ? folderHints : [['contextd sessions --all', 'every session on this machine'] as const]),
		...(canInstall && !hasPlugin ? [['contextd setup', 'compact and undo inside the agent'] as const] : []),
		helpHint,
	];
}

function renderHints(hints: readonly Hint[]): Line[] {
	const width = Math.max(...hints.map(([line]) => line.length));
	return hints.map(([line, purpose]) => [
		span(`  ${padEnd(line, width)}`, 'cyan'),
		span(`  ${purpose}`, 'gray'),
	]);
}
