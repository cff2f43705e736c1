import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sessionClose } from '../../protocol/session.ts';
import { contextStats, contextTimeline } from '../../protocol/stats.ts';
import type { CommandDaemon, OpenDaemon } from '../console/daemon.ts';
import { type FrontIo, measureColumns, renderReport, writeLines, writeText } from '../console/terminal.ts';
import { clipLine, formatLines, type Line, span, type Tone } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { renderUsageNotice } from '../output/statsView.ts';
import type { WatchCommand } from './commands.ts';
import { requestNewestTranscript } from './findSession.ts';
import { importFile } from './importSession.ts';
import { renderWatch, renderWatchLine, type WatchedTranscript } from './watchView.ts';

/** Milliseconds between updates of the figures, and between searches for the newest transcript. */
const intervalsMs = { look: 500, search: 4_000 };

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

interface WatchTarget {
	path: string;
	agent: string;
	sessionId: string;
	name: string;
}

/** Returns a signal that is aborted when the user asks the command to end. */
function createInterruptSignal(): AbortSignal {
	const controller = new AbortController();
	const abort = (): void => controller.abort();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, abort);
	return controller.signal;
}

/** Follows a transcript, and stops following the previous one. */
async function followTarget(
	daemon: CommandDaemon,
	path: string,
	title: string | undefined,
	before: WatchTarget | undefined,
): Promise<WatchTarget> {
	if (before) await daemon.request(sessionClose, { sessionId: before.sessionId });
	const { sessionId, source } = await importFile(
		daemon,
		{ name: path, path: resolve(path) },
		{ follow: true },
	);
	return { path, agent: source, sessionId, name: title ?? basename(path) };
}

async function readTarget(
	daemon: CommandDaemon,
	{ sessionId, agent, name }: WatchTarget,
): Promise<WatchedTranscript> {
	const [stats, timeline] = await Promise.all([
		daemon.request(contextStats, { sessionId }),
		daemon.request(contextTimeline, { sessionId }),
	]);
	return { agent, name, stats, timeline };
}

/** Shows the newest state. On a terminal each state replaces the previous one; elsewhere each change prints a line. */
class Screen {
	readonly #io: FrontIo;
	readonly #isLive: boolean;
	/** Number of lines on the terminal that the next state replaces. */
	#drawnLineCount = 0;
	#lastText = '';
	/** The last line without its time, on an output whose lines cannot be replaced. */
	#lastLine = '';
	#warnedTone: Tone | undefined;

	constructor(io: FrontIo) {
		this.#io = io;
		this.#isLive = io.stdout.isTTY === true && io.env.TERM !== 'dumb';
	}

	async show(watched: WatchedTranscript): Promise<void> {
		const { stdout, env } = this.#io;
		await this.#warn(watched);
		if (this.#isLive) return this.#draw(renderWatch(watched, measureColumns(stdout, env)));
		const state = formatLines([renderWatchLine(watched, '')], 'plain');
		if (state === this.#lastLine) return;
		this.#lastLine = state;
		await this.#draw([renderWatchLine(watched, new Date().toISOString())]);
	}

	showGone(path: string): Promise<void> {
		return this.#draw([
			[span(`Removed; waiting for it or for another session: ${makePrintable(path)}`, 'yellow')],
		]);
	}

	showWaiting(): Promise<void> {
		return this.#draw([[span(`Waiting for an agent to work in ${makePrintable(process.cwd())} …`, 'gray')]]);
	}

	async end(): Promise<void> {
		if (this.#isLive && this.#lastText !== '') await writeText(this.#io.stdout, showCursor);
	}

	/** Warns once when the window fills, and once when a compaction is due. The display then continues below the warning. */
	async #warn({ stats }: WatchedTranscript): Promise<void> {
		const { stdout, stderr, env } = this.#io;
		const notice = stats ? renderUsageNotice(stats) : [];
		const tone = notice[0]?.[0]?.tone;
		if (tone === this.#warnedTone) return;
		this.#warnedTone = tone;
		if (notice.length === 0) return;
		if (this.#drawnLineCount > 0) await writeText(stdout, `\u001b[${this.#drawnLineCount}A\r${clearBelow}`);
		this.#drawnLineCount = 0;
		this.#lastText = '';
		await writeLines(stderr, notice, env);
	}

	async #draw(allLines: readonly Line[]): Promise<void> {
		const { stdout, env } = this.#io;
		if (!this.#isLive) {
			const text = formatLines(allLines, 'plain');
			if (text === this.#lastText) return;
			this.#lastText = text;
			return writeLines(stdout, allLines, env);
		}
		const columns = measureColumns(stdout, env);
		const rows = Math.max(1, (stdout.rows || Number.POSITIVE_INFINITY) - 1);
		// One line too many would scroll the headline out of view.
		const lines = allLines.slice(0, rows).map((line) => clipLine(line, columns));
		const text = renderReport(lines, stdout, env);
		if (text === this.#lastText) return;
		this.#lastText = text;
		const cursorUp = this.#drawnLineCount > 0 ? `\u001b[${this.#drawnLineCount}A\r` : hideCursor;
		this.#drawnLineCount = lines.length;
		await writeText(stdout, `${cursorUp}${clearBelow}${text}`);
	}
}

/** Runs `contextd watch`: shows the meter of a transcript while its agent works, until the user ends the command. */
export async function runWatch(
	command: WatchCommand,
	io: FrontIo,
	start: OpenDaemon,
	signal: AbortSignal = createInterruptSignal(),
): Promise<void> {
	const daemon = await start();
	const screen = new Screen(io);
	let target: WatchTarget | undefined;
	let searchedAt = Number.NEGATIVE_INFINITY;
	try {
		if (command.file !== undefined) target = await followTarget(daemon, command.file, undefined, undefined);
		while (!signal.aborted) {
			if (command.file === undefined && performance.now() - searchedAt > intervalsMs.search) {
				const newest = await requestNewestTranscript(daemon, process.cwd());
				searchedAt = performance.now();
				if (newest && newest.path !== target?.path)
					target = await followTarget(daemon, newest.path, newest.title, target);
			}
			if (target && isGone(target.path)) await screen.showGone(target.path);
			else if (target) await screen.show(await readTarget(daemon, target));
			else await screen.showWaiting();
			await waitForUpdate(signal);
		}
	} catch (error) {
		// Ctrl-C also ends the daemon, so after an interrupt its end is no error.
		if (!signal.aborted) throw error;
	} finally {
		await screen.end();
		await closeDaemon(daemon, signal);
	}
}

/** Returns whether a transcript was removed. A session in a database is named by the database's path, a `#` and its id. */
function isGone(path: string): boolean {
	return !existsSync(path) && !existsSync(path.replace(/#[^#]*$/, ''));
}

/** Waits until the next update or the end. */
async function waitForUpdate(signal: AbortSignal): Promise<void> {
	try {
		await setTimeout(intervalsMs.look, undefined, { signal });
	} catch (error) {
		if (!signal.aborted) throw error;
	}
}

/** Ends the daemon, which Ctrl-C may have ended already. */
async function closeDaemon(daemon: CommandDaemon, signal: AbortSignal): Promise<void> {
	try {
		await daemon.close();
	} catch (error) {
		if (!signal.aborted) throw error;
	}
}
