import { sessionList } from '../protocol/session.ts';
import { contextSources } from '../protocol/sources.ts';
import type { StatsCommand } from './commandLine.ts';
import { type OpenDaemon, requestStats } from './console/daemon.ts';
import { type FrontIo, measureColumns, writeJson, writeLines } from './console/terminal.ts';
import { MessageLabels } from './output/labels.ts';
import { renderSources } from './output/sourcesView.ts';
import { renderStats, renderUsageNotice } from './output/statsView.ts';
import { type FileTask, runWithFile } from './transcript/fileCommand.ts';
import { chooseImportScope } from './transcript/importSession.ts';
import { readHistoryLabels } from './transcript/sessions.ts';

/** Requests how many tokens the session's files and commands take, and the session's workspace. */
async function requestSources({ daemon, session: { sessionId } }: FileTask) {
	const sources = await daemon.request(contextSources, { sessionId });
	const { sessions } = await daemon.request(sessionList, {});
	const session = sessions.find((one) => one.sessionId === sessionId);
	return { ...sources, workspace: session?.workspace };
}

/** Runs `contextd stats`: prints how full a session's window is, and what fills it. */
export async function runStats(command: StatsCommand, io: FrontIo, start: OpenDaemon): Promise<void> {
	const isText = command.report === 'text';
	const { stats, sources, labels } = await runWithFile(
		command,
		{ io, start, chooseScope: chooseImportScope },
		async (task) => {
			const { daemon, session } = task;
			const measured = await requestStats(daemon, session.sessionId);
			const ids = measured.largest.map(({ messageId }) => messageId);
			return {
				stats: measured,
				sources: await requestSources(task),
				labels: isText ? await readHistoryLabels(daemon, session.sessionId, ids) : new MessageLabels(),
			};
		},
	);
	if (command.report === 'json') {
		const { files, commands } = sources;
		return writeJson(io.stdout, { ...stats, sources: { files, commands } });
	}
	const columns = measureColumns(io.stdout, io.env);
	const report = { ...sources, usedTokens: stats.estimatedInputTokens };
	await writeLines(
		io.stdout,
		[...renderStats(stats, labels, columns), ...renderSources(report, columns)],
		io.env,
	);
	await writeLines(io.stderr, renderUsageNotice(stats), io.env);
}
