import { formatCount, formatNumber } from '../../core/figures.ts';
import { isAgentSession } from '../../core/transcript/index.ts';
import { contextExport, type ExportResult } from '../../protocol/transcript.ts';
import { checkOutput } from '../console/checkOutput.ts';
import type { CommandDaemon, OpenDaemon } from '../console/daemon.ts';
import { createWorkFailure } from '../console/failure.ts';
import { type FrontIo, writeLines, writeText } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { escapeForTerminal, makePrintable } from '../output/printable.ts';
import { chooseAgentPath, readCodexProvider, renderResumeHint, writeAgentSession } from './agentSession.ts';
import type { ExportCommand } from './commands.ts';
import { runWithFile } from './fileCommand.ts';
import { findRunningChange } from './findSession.ts';
import { writeTextFile } from './writeHistory.ts';

/** A session in the form of an agent or provider. */
export interface ExportedSession {
	exported: ExportResult;
	/** When a running session in the folder last changed, in milliseconds since the epoch; absent if none runs. */
	runningChangedAt?: number;
}

/** Exports a session of a daemon, for the working folder. */
export async function exportSession(
	daemon: CommandDaemon,
	sessionId: string,
	{ format, shouldPlace, target: targetTokens }: Pick<ExportCommand, 'format' | 'shouldPlace' | 'target'>,
	env: NodeJS.ProcessEnv,
): Promise<ExportedSession> {
	const cwd = process.cwd();
	const agentProvider = format === 'codex' ? await readCodexProvider(env) : undefined;
	const params = { sessionId, format, targetTokens, cwd, agentProvider };
	return {
		exported: await daemon.request(contextExport, params),
		runningChangedAt: shouldPlace ? await findRunningChange(daemon, cwd) : undefined,
	};
}

/** Runs `contextd export`: writes a history, compacted if that makes it smaller, for a provider or an agent. */
export async function runExport(command: ExportCommand, io: FrontIo, start: OpenDaemon): Promise<void> {
	const { output, format, shouldPlace } = command;
	const isFile = output !== undefined && output !== '-';
	const cwd = process.cwd();
	if (isFile) await checkOutput(output, command.file, io);
	const { exported, runningChangedAt } = await runWithFile(
		{ file: command.file, output },
		{ io, start },
		async (task) => {
			task.progress.show([span('Compacting')]);
			return exportSession(task.daemon, task.session.sessionId, command, io.env);
		},
	);
	const { text, messageCount, compaction, warnings = [], leftOut = [], agentSessionId } = exported;
	if (!compaction) throw createWorkFailure('the daemon accepted the messages but compacted nothing');
	const session =
		isAgentSession(format) && agentSessionId !== undefined
			? { format, id: agentSessionId, cwd, createdAt: Date.now() }
			: undefined;
	const agentPath = session && (await chooseAgentPath(session, io.env));
	if (shouldPlace && agentPath === undefined)
		throw createWorkFailure('the daemon returned no id for the session');
	if (shouldPlace && session && agentPath !== undefined) {
		await writeAgentSession(session, agentPath, text, { runningChangedAt, env: io.env });
	} else if (isFile) await writeTextFile(text, output);
	else await writeText(io.stdout, escapeForTerminal(text));
	const figures = compaction.compacted
		? `compacted from ${formatNumber(compaction.tokensBefore)} to ${formatNumber(compaction.tokensAfter)} tokens`
		: `${formatNumber(compaction.tokensAfter)} tokens, not compacted: ${makePrintable(compaction.reason ?? compaction.outcome)}`;
	const location = shouldPlace ? 'place' : isFile ? { file: output } : 'stdout';
	const writtenPath = shouldPlace ? agentPath : isFile ? output : undefined;
	const report: Line[] = [
		[
			span(
				`Wrote${writtenPath === undefined ? '' : ` ${makePrintable(writtenPath)}`} as ${format}: ${formatCount(messageCount, 'message')}, ${figures}`,
			),
		],
		...(leftOut.length > 0 ? [[span(`Left out: ${leftOut.join(', ')}`, 'yellow')]] : []),
		...warnings.map((warning) => [span(makePrintable(warning), 'yellow')]),
		...(session && agentPath !== undefined ? [renderResumeHint(session, agentPath, location)] : []),
	];
	await writeLines(writtenPath === undefined ? io.stderr : io.stdout, report, io.env);
}
