import { formatNumber } from '../../core/figures.ts';
import { isAgentSession } from '../../core/transcript/write/file.ts';
import { contextExport } from '../../protocol/transcript.ts';
import { checkOutput } from '../console/checkOutput.ts';
import { workFailed } from '../console/failure.ts';
import { type FrontIo, writeLines, writeText } from '../console/terminal.ts';
import { writeTextFile } from '../console/writeHistory.ts';
import { countWithUnit } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printableJson, printableText } from '../output/printable.ts';
import { agentPlaceOf, codexProvider, resumeHint, writeAgentSession } from './agentPlace.ts';
import type { ExportCommand } from './commands.ts';
import { type StartCommandDaemon, withFile } from './fileCommand.ts';
import { runningSessionChange } from './runningSession.ts';

/** `contextd export`: writes a history, compacted if that makes it smaller, for a provider or an agent. */
export async function runExport(
	command: ExportCommand,
	io: FrontIo,
	start: StartCommandDaemon,
): Promise<void> {
	const { output, format, target, isPlaced } = command;
	const isFile = output !== undefined && output !== '-';
	const cwd = process.cwd();
	if (isFile) await checkOutput(output, command.file, io);
	const {
		text,
		messageCount,
		compaction,
		warnings,
		leftOut = [],
		agentSessionId,
		running,
	} = await withFile(
		{ file: command.file, output },
		() => ({}),
		{ io, start },
		async (work) => {
			work.progress.show([span('Compacting')]);
			const { sessionId } = work.session;
			const agentProvider = format === 'codex' ? await codexProvider(io.env) : undefined;
			const params = { sessionId, format, targetTokens: target, cwd, agentProvider };
			const exported = await work.daemon.request(contextExport, params);
			return { ...exported, running: isPlaced ? await runningSessionChange(work.daemon, cwd) : undefined };
		},
	);
	if (!compaction) throw workFailed('the daemon accepted the messages but compacted nothing');
	const session =
		isAgentSession(format) && agentSessionId !== undefined
			? { format, id: agentSessionId, cwd, now: Date.now() }
			: undefined;
	const place = session && (await agentPlaceOf(session, io.env));
	if (isPlaced && place === undefined) throw workFailed('the daemon returned no id for the session');
	if (isPlaced && session && place !== undefined) {
		await writeAgentSession(session, place, text, { running, env: io.env });
	} else if (isFile) await writeTextFile(text, output);
	else await writeText(io.stdout, printableJson(text));
	const figures = compaction.compacted
		? `compacted from ${formatNumber(compaction.tokensBefore)} to ${formatNumber(compaction.tokensAfter)} tokens`
		: `${formatNumber(compaction.tokensAfter)} tokens, not compacted: ${printableText(compaction.reason ?? compaction.outcome)}`;
	const location = isPlaced ? 'place' : isFile ? { file: output } : 'stdout';
	const written = isPlaced ? place : isFile ? output : undefined;
	const report: Line[] = [
		[
			span(
				`Wrote${written === undefined ? '' : ` ${printableText(written)}`} as ${format}: ${countWithUnit(messageCount, 'message')}, ${figures}`,
			),
		],
		...(leftOut.length > 0 ? [[span(`Left out: ${leftOut.join(', ')}`, 'yellow')]] : []),
		...(warnings ?? []).map((warning) => [span(printableText(warning), 'yellow')]),
		...(session && place !== undefined ? [resumeHint(session, place, location)] : []),
	];
	await writeLines(written === undefined ? io.stderr : io.stdout, report, io.env);
}
