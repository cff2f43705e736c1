import type { ExportFormat } from '../../protocol/transcript.ts';
import { contextExport } from '../../protocol/transcript.ts';
import { checkOutput } from '../checkOutput.ts';
import { workFailed } from '../failure.ts';
import { type StartDaemon, withFile } from '../fileCommand.ts';
import { count, countOf } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printable, printableJson } from '../output/printable.ts';
import { type FrontIo, writeLines, writeText } from '../terminal.ts';
import { writeWhole } from '../writeHistory.ts';
import type { ExportCommand } from './commands.ts';

/** How to start from the file, where an agent wants it in a certain place. */
const startHint: Readonly<Partial<Record<ExportFormat, string>>> = {
	'claude-code':
		'Move it as SESSION.jsonl, SESSION being the sessionId of its first line, into the project folder below ~/.claude/projects, then: claude --resume SESSION',
	pi: 'Start from it with: pi --session FILE',
};

/** `contextd export`: writes a history, compacted where that makes it smaller, for a provider or an agent. */
export async function runExport(command: ExportCommand, io: FrontIo, start: StartDaemon): Promise<void> {
	const { output, format, target } = command;
	const isFile = output !== undefined && output !== '-';
	if (isFile) await checkOutput(output, command.file, io);
	const { text, messageCount, compaction, warnings } = await withFile(
		{ file: command.file },
		() => 'all',
		io,
		start,
		(work) => {
			work.progress.show([span('Compacting')]);
			const { sessionId } = work.session;
			const params = { sessionId, format, targetTokens: target, cwd: process.cwd() };
			return work.daemon.request(contextExport, params);
		},
	);
	if (!compaction) throw workFailed('the daemon compacted nothing although it took the messages');
	if (isFile) await writeWhole(text, output);
	else await writeText(io.stdout, printableJson(text));
	const figures = compaction.compacted
		? `compacted from ${count(compaction.tokensBefore)} to ${count(compaction.tokensAfter)} tokens`
		: `${count(compaction.tokensAfter)} tokens, not compacted: ${printable(compaction.reason ?? compaction.outcome)}`;
	const hint = startHint[format];
	const report: Line[] = [
		[
			span(
				`${isFile ? `Wrote ${printable(output)}` : 'Wrote'} as ${format}: ${countOf(messageCount, 'message')}, ${figures}`,
			),
		],
		...(warnings ?? []).map((warning) => [span(printable(warning), 'yellow')]),
		...(hint ? [[span(hint, 'gray')]] : []),
	];
	await writeLines(isFile ? io.stdout : io.stderr, report, io.env);
}
