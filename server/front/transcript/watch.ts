import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sessionClose } from '../../protocol/session.ts';
import { contextStats, contextTimeline } from '../../protocol/stats.ts';
import { contextDiscover } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { canvasOf, type FrontIo, renderReport, writeLines, writeText } from '../console/terminal.ts';
import { clipLine, type Line, linesText, span, type Tone } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import { usageNotice } from '../output/statsView.ts';
import type { WatchCommand } from './commands.ts';
import type { StartCommandDaemon } from './fileCommand.ts';
import { importFile, namedFile } from './importSession.ts';
import { type WatchedTranscript, watchLine, watchView } from './watchView.ts';

/** Milliseconds between updates of the figures, and between searches for the newest transcript. */
const times = { look: 500, search: 4_000 };

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

/** The transcript that is watched. */
interface Target {
	path: string;
	agent: string;
	sessionId: string;
	name: string;
}

/** Aborted when the user asks the command to end. */
export function interruptSignal(): AbortSignal {
	const ending = new AbortController();
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
	return ending.signal;
}

async function newestOfFolder(daemon: CommandDaemon): Promise<{ path: string; title?: string } | undefined> {
	const { transcripts } = await daemon.request(contextDiscover, {
		workspace: pathToFileURL(process.cwd()).href,
	});
	return transcripts[0];
}

/** Follows a transcript, and stops following the previous one. */
async function followTarget(
	daemon: CommandDaemon,
	path: string,
	title: string | undefined,
	before: Target | undefined,
): Promise<Target> {
	if (before) await daemon.request(sessionClose, { sessionId: before.sessionId });
	const { sessionId, source } = await importFile(daemon, namedFile(path), { follow: true });
	return { path, agent: source, sessionId, name: title ?? basename(path) };
}

async function readTarget(
	daemon: CommandDaemon,
	{ sessionId, agent, name }: Target,
): Promise<WatchedTranscript> {
	const [stats, timeline] = await Promise.all([
		daemon.request(contextStats, { sessionId }),
		daemon.request(contextTimeline, { sessionId }),
	]);
	return { agent, name, stats, timeline };
}

/** Shows the newest state: on a terminal it replaces the previous one, otherwise each change prints a line. */
class Screen {
	readonly #io: FrontIo;
	readonly #isLive: boolean;
	/** Lines of the display that the next one replaces. */
	#drawn = 0;
	/** Text of the display. */
	#last = '';
	/** The newest line without its time, on an output whose lines cannot be replaced. */
	#reported = '';
	#warned: Tone | undefined;

	constructor(io: FrontIo) {
		this.#io = io;
		this.#isLive = io.stdout.isTTY === true && io.env.TERM !== 'dumb';
	}

	async show(watched: WatchedTranscript): Promise<void> {
		const { stdout, env } = this.#io;
		await this.#warn(watched);
		if (this.#isLive) return this.#put(watchView(watched, canvasOf(stdout, env)));
		const state = linesText([watchLine(watched, '')], 'plain');
		if (state === this.#reported) return;
		this.#reported = state;
		await this.#put([watchLine(watched, new Date().toISOString())]);
	}

	gone(path: string): Promise<void> {
		return this.#put([
			[span(`Removed; waiting for it or for another session: ${printableText(path)}`, 'yellow')],
		]);
	}

	wait(): Promise<void> {
		return this.#put([[span(`Waiting for an agent to work in ${printableText(process.cwd())} …`, 'gray')]]);
	}

	async end(): Promise<void> {
		if (this.#isLive && this.#last !== '') await writeText(this.#io.stdout, showCursor);
	}

	/** Warns once that the window fills, and once that a compaction is due; the display moves below the warning. */
	async #warn({ stats }: WatchedTranscript): Promise<void> {
		const { stdout, stderr, env } = this.#io;
		const notice = stats ? usageNotice(stats) : [];
		const tone = notice[0]?.[0]?.tone;
		if (tone === this.#warned) return;
		this.#warned = tone;
		if (notice.length === 0) return;
		if (this.#drawn > 0) await writeText(stdout, `\u001b[${this.#drawn}A\r${clearBelow}`);
		this.#drawn = 0;
		this.#last = '';
		await writeLines(stderr, notice, env);
	}

	async #put(all: readonly Line[]): Promise<void> {
		const { stdout, env } = this.#io;
		if (!this.#isLive) {
			const text = linesText(all, 'plain');
			if (text === this.#last) return;
			this.#last = text;
			return writeLines(stdout, all, env);
		}
		const { columns } = canvasOf(stdout, env);
		const rows = Math.max(1, (stdout.rows || Number.POSITIVE_INFINITY) - 1);
		// One line too many would scroll the headline out of view.
		const lines = all.slice(0, rows).map((line) => clipLine(line, columns));
		const text = renderReport(lines, stdout, env);
		if (text === this.#last) return;
		this.#last = text;
		const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A\r` : hideCursor;
		this.#drawn = lines.length;
		await writeText(stdout, `${up}${clearBelow}${text}`);
	}
}

/** `contextd watch`: the meter of a transcript while its agent works, until the user ends it. */
export async function runWatch(
	command: WatchCommand,
	io: FrontIo,
	start: StartCommandDaemon,
	signal: AbortSignal = interruptSignal(),
): Promise<void> {
	const daemon = await start();
	const screen = new Screen(io);
	let target: Target | undefined;
	let searchedAt = Number.NEGATIVE_INFINITY;
	try {
		if (command.file !== undefined) target = await followTarget(daemon, command.file, undefined, undefined);
		while (!signal.aborted) {
			if (command.file === undefined && performance.now() - searchedAt > times.search) {
				const found = await newestOfFolder(daemon);
				searchedAt = performance.now();
				if (found && found.path !== target?.path)
					target = await followTarget(daemon, found.path, found.title, target);
			}
			if (target && isGone(target.path)) await screen.gone(target.path);
			else if (target) await screen.show(await readTarget(daemon, target));
			else await screen.wait();
			await waitForUpdate(signal);
		}
	} catch (error) {
		// Ctrl-C also ends the daemon, so that its end is no error if the user interrupted.
		if (!signal.aborted) throw error;
	} finally {
		await screen.end();
		await closeDaemon(daemon, signal);
	}
}

/** Whether a transcript was removed; a session in a database is named by more than its file. */
function isGone(path: string): boolean {
	return !existsSync(path) && !existsSync(path.replace(/#[^#]*$/, ''));
}

/** Waits until the next update or the end. */
async function waitForUpdate(signal: AbortSignal): Promise<void> {
	try {
		await setTimeout(times.look, undefined, { signal });
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
