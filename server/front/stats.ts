import { sessionList } from '../protocol/session.ts';
import { contextSources } from '../protocol/sources.ts';
import { contextStats } from '../protocol/stats.ts';
import type { StatsCommand } from './commandLine.ts';
import { workFailed } from './console/failure.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from './console/terminal.ts';
import { createLabels } from './output/labels.ts';
import { sourcesView } from './output/sourcesView.ts';
import { statsView, usageNotice } from './output/statsView.ts';
import { type FileTask, type StartCommandDaemon, withFile } from './transcript/fileCommand.ts';
import { readingChoiceFor } from './transcript/importSession.ts';
import { historyLabels } from './transcript/sessions.ts';

/** The stats of the session that a command works on. */
export async function measureSession({ daemon, session }: FileTask) {
	const stats = await daemon.request(contextStats, { sessionId: session.sessionId });
	if (!stats) throw workFailed('the daemon accepted the messages but returned no stats');
	return stats;
}

/** What files and commands take in the session that a command works on, and its workspace. */
async function measureSources({ daemon, session: { sessionId } }: FileTask) {
	const sources = await daemon.request(contextSources, { sessionId });
	const { sessions } = await daemon.request(sessionList, {});
	const own = sessions.find((one) => one.sessionId === sessionId);
	return { ...sources, workspace: own?.workspace };
}

/** `contextd stats`: how full the window is with a history, and what fills it. */
export async function runStats(command: StatsCommand, io: FrontIo, start: StartCommandDaemon): Promise<void> {
	const isText = command.report === 'text';
	const { stats, sources, labels } = await withFile(
		command,
		readingChoiceFor,
		{ io, start },
		async (work) => {
			const measured = await measureSession(work);
			const { sessionId, largest } = measured;
			const ids = largest.map(({ messageId }) => messageId);
			const sources = await measureSources(work);
			return {
				stats: measured,
				sources,
				labels: isText ? await historyLabels(work.daemon, sessionId, ids) : createLabels(),
			};
		},
	);
	if (command.report === 'json') {
		const { files, commands } = sources;
		return writeJson(io.stdout, { ...stats, sources: { files, commands } });
	}
	const canvas = canvasOf(io.stdout, io.env);
	const report = { ...sources, usedTokens: stats.estimatedInputTokens };
	await writeLines(io.stdout, [...statsView(stats, labels, canvas), ...sourcesView(report, canvas)], io.env);
	await writeLines(io.stderr, usageNotice(stats), io.env);
}
