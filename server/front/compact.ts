import { type CompactParams, type CompactResult, contextCompact } from '../protocol/compact.ts';
import type { CompactCommand } from './commandLine.ts';
import { checkOutput } from './console/checkOutput.ts';
import { workFailed } from './console/failure.ts';
import { selectSourcesToFree } from './console/freeSelection.ts';
import { canvasOf, type FrontIo, writeJson, writeLines, writeText } from './console/terminal.ts';
import { historyText, writeHistory } from './console/writeHistory.ts';
import { type Compaction, compactView } from './output/compactView.ts';
import { printableJson } from './output/printable.ts';
import { usageNotice } from './output/statsView.ts';
import { measureSession } from './stats.ts';
import { type FileTask, type StartCommandDaemon, taskLine, withFile } from './transcript/fileCommand.ts';
import { historyLabels } from './transcript/sessions.ts';

async function compactInput({ daemon, session, progress }: FileTask, command: CompactCommand) {
	const free = await selectSourcesToFree(daemon, session.sessionId, command.free);
	progress.show(taskLine('Compacting', {}));
	const params: CompactParams = {
		sessionId: session.sessionId,
		targetTokens: command.target,
		instructions: command.instructions,
		free,
		includeMessages: command.output !== undefined,
	};
	const result = await daemon.watch(
		(workDoneToken) => daemon.request(contextCompact, { ...params, workDoneToken }),
		(done) => {
			if (done.kind !== 'end') progress.show(taskLine('Compacting', done));
		},
	);
	if (!result) throw workFailed('the daemon accepted the messages but returned no compaction');
	return result;
}

/** Returns a message without the provider's usage, which describes the history before the compaction. */
function withoutUsage(message: unknown): unknown {
	if (typeof message !== 'object' || message === null) return message;
	const { usage: _usage, ...rest } = message as { usage?: unknown };
	return rest;
}

async function writeMessages(result: CompactResult, output: string, io: FrontIo): Promise<void> {
	const { messages: whole = [], compacted } = result;
	const messages = compacted ? whole.map(withoutUsage) : whole;
	if (output !== '-') return writeHistory(messages, output);
	for (const text of historyText(messages, output)) await writeText(io.stdout, printableJson(text));
}

/**
 * Runs `contextd compact`: compacts a history, reports what was done, and writes the result if requested. If the
 * history goes to standard output, the report goes to standard error.
 */
export async function runCompact(
	command: CompactCommand,
	io: FrontIo,
	start: StartCommandDaemon,
): Promise<void> {
	const { output } = command;
	if (output !== undefined && output !== '-') await checkOutput(output, command.file, io);
	const compaction = await withFile(
		command,
		() => ({}),
		{ io, start },
		async (work): Promise<Compaction> => {
			const before = await measureSession(work);
			const labels = await historyLabels(work.daemon, work.session.sessionId);
			const result = await compactInput(work, command);
			return { before, result, after: await measureSession(work), labels, output };
		},
	);
	const { messages, ...result } = compaction.result;
	if (output !== undefined) await writeMessages({ ...result, messages }, output, io);
	if (command.report === 'json') {
		await writeJson(io.stdout, result);
		return;
	}
	const report = output === '-' ? io.stderr : io.stdout;
	await writeLines(report, compactView(compaction, canvasOf(report, io.env)), io.env);
	await writeLines(io.stderr, usageNotice(compaction.after), io.env);
}
