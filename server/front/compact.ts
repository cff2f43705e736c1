import { removeUsage } from '../core/cost/spent.ts';
import { type CompactParams, type CompactResult, contextCompact } from '../protocol/compact.ts';
import type { CompactCommand } from './commandLine.ts';
import { checkOutput } from './console/checkOutput.ts';
import { type OpenDaemon, requestStats } from './console/daemon.ts';
import { createWorkFailure } from './console/failure.ts';
import { selectSourcesToFree } from './console/freeSelection.ts';
import { type FrontIo, measureColumns, writeJson, writeLines, writeText } from './console/terminal.ts';
import { type MeasuredCompaction, renderCompaction } from './output/compactView.ts';
import { escapeForTerminal } from './output/printable.ts';
import { renderUsageNotice } from './output/statsView.ts';

import { type FileTask, renderTask, runWithFile } from './transcript/fileCommand.ts';
import { readHistoryLabels } from './transcript/sessions.ts';
import { formatMessages, writeTextFile } from './transcript/writeHistory.ts';

async function compactSessionCopy({ daemon, session, progress }: FileTask, command: CompactCommand) {
	const free = await selectSourcesToFree(daemon, session.sessionId, command.free);
	progress.show(renderTask('Compacting', {}));
	const params: CompactParams = {
		sessionId: session.sessionId,
		targetTokens: command.target,
		instructions: command.instructions,
		free,
		includeMessages: command.output !== undefined,
	};
	const result = await daemon.requestWithProgress(
		(workDoneToken) => daemon.request(contextCompact, { ...params, workDoneToken }),
		(value) => {
			if (value.kind !== 'end') progress.show(renderTask('Compacting', value));
		},
	);
	if (!result) throw createWorkFailure('the daemon accepted the messages but returned no compaction');
	return result;
}

async function writeMessages(result: CompactResult, output: string, io: FrontIo): Promise<void> {
	const { messages: whole = [], compacted } = result;
	// The provider's usage describes the history before the compaction.
	const messages = compacted ? whole.map(removeUsage) : whole;
	if (output !== '-') return writeTextFile(formatMessages(messages, output), output);
	for (const text of formatMessages(messages, output)) await writeText(io.stdout, escapeForTerminal(text));
}

/**
 * Runs `contextd compact`: compacts a history, reports what was done, and writes the result if requested. If the
 * history goes to standard output, the report goes to standard error.
 */
export async function runCompact(command: CompactCommand, io: FrontIo, start: OpenDaemon): Promise<void> {
	const { output } = command;
	if (output !== undefined && output !== '-') await checkOutput(output, command.file, io);
	const compaction = await runWithFile(command, { io, start }, async (task): Promise<MeasuredCompaction> => {
		const { daemon, session } = task;
		const before = await requestStats(daemon, session.sessionId);
		const labels = await readHistoryLabels(daemon, session.sessionId);
		const result = await compactSessionCopy(task, command);
		return { before, result, after: await requestStats(daemon, session.sessionId), labels, output };
	});
	const { messages, ...result } = compaction.result;
	if (output !== undefined) await writeMessages({ ...result, messages }, output, io);
	if (command.report === 'json') {
		await writeJson(io.stdout, result);
		return;
	}
	const report = output === '-' ? io.stderr : io.stdout;
	await writeLines(report, renderCompaction(compaction, measureColumns(report, io.env)), io.env);
	await writeLines(io.stderr, renderUsageNotice(compaction.after), io.env);
}
