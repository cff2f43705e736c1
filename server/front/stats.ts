import { contextStats } from '../protocol/stats.ts';
import type { StatsCommand } from './commandLine.ts';
import { workFailed } from './failure.ts';
import { type FileWork, type StartDaemon, withFile } from './fileCommand.ts';
import { statsView } from './output/statsView.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from './terminal.ts';

/** The figures of the session that a command works on. */
export async function measure({ daemon, session }: FileWork) {
	const stats = await daemon.request(contextStats, { sessionId: session.sessionId });
	if (!stats) throw workFailed('the daemon measured nothing although it took the messages');
	return stats;
}

/** `contextd stats`: how full the window is with a history, and what fills it. */
export async function runStats(command: StatsCommand, io: FrontIo, start: StartDaemon): Promise<void> {
	const { stats, session } = await withFile(command, io, start, async (work) => ({
		stats: await measure(work),
		session: work.session,
	}));
	if (command.report === 'json') await writeJson(io.stdout, stats);
	else await writeLines(io.stdout, statsView(stats, session, canvasOf(io.stdout, io.env)), io.env);
}
