import { contextStats } from '../protocol/stats.ts';
import type { StatsCommand } from './commandLine.ts';
import { workFailed } from './console/failure.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from './console/terminal.ts';
import { createLabels } from './output/labels.ts';
import { statsView, usageNotice } from './output/statsView.ts';
import { type FileWork, type StartDaemon, withFile } from './transcript/fileCommand.ts';
import type { ReadingChoice } from './transcript/importSession.ts';
import { historyLabels } from './transcript/sessions.ts';

/** The figures of the session that a command works on. */
export async function measure({ daemon, session }: FileWork) {
	const stats = await daemon.request(contextStats, { sessionId: session.sessionId });
	if (!stats) throw workFailed('the daemon measured nothing although it took the messages');
	return stats;
}

/** Bytes of an input up to which every message is counted as the estimator says, and up to which all of it is read in. */
const upTo = { counted: 1 << 18, whole: 8 << 20 };

/**
 * Only what stands behind the newest figure moves the figure that is shown, and of a long input it is all that is
 * counted; of a very long one, what is in the window no more is passed over.
 */
function readingOf(bytes: number): ReadingChoice {
	if (bytes <= upTo.counted) return {};
	return bytes <= upTo.whole ? { counting: 'tail' } : { counting: 'tail', from: 'window' };
}

/** `contextd stats`: how full the window is with a history, and what fills it. */
export async function runStats(command: StatsCommand, io: FrontIo, start: StartDaemon): Promise<void> {
	const isText = command.report === 'text';
	const { stats, labels } = await withFile(command, readingOf, io, start, async (work) => {
		const measured = await measure(work);
		const { sessionId, largest } = measured;
		const ids = largest.map(({ messageId }) => messageId);
		return {
			stats: measured,
			labels: isText ? await historyLabels(work.daemon, sessionId, ids) : createLabels(),
		};
	});
	if (command.report === 'json') return writeJson(io.stdout, stats);
	await writeLines(io.stdout, statsView(stats, labels, canvasOf(io.stdout, io.env)), io.env);
	await writeLines(io.stderr, usageNotice(stats), io.env);
}
