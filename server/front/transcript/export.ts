import { randomUUID } from 'node:crypto';
import type { Fields } from '../../core/format/shape.ts';
import type { ChatMessage } from '../../core/history/message.ts';
import { claudeCodeRecords } from '../../core/transcript/write/claudeCode.ts';
import { piRecords } from '../../core/transcript/write/pi.ts';
import { contextCompact } from '../../protocol/compact.ts';
import { contextHistory, type HistoryResult } from '../../protocol/history.ts';
import { workFailed } from '../failure.ts';
import { type FileWork, type StartDaemon, withFile } from '../fileCommand.ts';
import { count, countOf } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import { measure } from '../stats.ts';
import { type FrontIo, writeLines, writeText } from '../terminal.ts';
import { checkOutput, writeWhole } from '../writeHistory.ts';
import type { ExportCommand, ExportFormat } from './commands.ts';

/** What the messages are called in each provider's request. */
const messagesField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'messages',
	openai: 'messages',
	neurolink: 'messages',
	'openai-responses': 'input',
	gemini: 'contents',
};

/** What the system text is called where it stands outside the messages. */
const systemField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'system',
	gemini: 'systemInstruction',
};

function jsonLines(records: readonly unknown[]): string {
	return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function historyText(work: FileWork, format: ExportFormat): Promise<HistoryResult & { text: string }> {
	const { daemon, session } = work;
	const { sessionId } = session;
	const wireFormat = format === 'claude-code' ? 'anthropic' : format === 'pi' ? 'contextd' : format;
	const history = await daemon.request(contextHistory, { sessionId, format: wireFormat });
	const { messages, system } = history;
	const field = messagesField[format];
	if (field !== undefined) {
		const outside = systemField[format];
		const body = { ...(outside && system !== undefined && { [outside]: system }), [field]: messages };
		return { ...history, text: `${JSON.stringify(body, null, 2)}\n` };
	}
	if (format === 'contextd') return { ...history, text: jsonLines(messages) };
	const { provider, model } = await measure(work);
	const made = {
		sessionId: randomUUID(),
		cwd: process.cwd(),
		provider,
		model,
		startedAt: Date.now(),
		newId: randomUUID,
	};
	const records: Fields[] =
		format === 'pi' ? piRecords(messages as ChatMessage[], made) : claudeCodeRecords(messages, made);
	return { ...history, text: jsonLines(records) };
}

/** How to start from the file, where an agent wants it in a certain place. */
const startHint: Readonly<Partial<Record<ExportFormat, string>>> = {
	'claude-code':
		'Save it as SESSION.jsonl, with the sessionId of its first line, in the project folder below ~/.claude/projects, then: claude --resume SESSION',
	pi: 'Start from it with: pi --session FILE',
};

/** `contextd export`: writes a history, compacted where that makes it smaller, for a provider or an agent. */
export async function runExport(command: ExportCommand, io: FrontIo, start: StartDaemon): Promise<void> {
	const { output, format, target } = command;
	const isFile = output !== undefined && output !== '-';
	if (isFile) await checkOutput(output);
	const { done, history } = await withFile(
		{ ...command, name: 'stats', report: 'text' },
		io,
		start,
		async (work) => {
			work.progress.show([span('Compacting')]);
			const { sessionId } = work.session;
			const done = await work.daemon.request(contextCompact, {
				sessionId,
				targetTokens: target,
				includeMessages: false,
			});
			if (!done) throw workFailed('the daemon compacted nothing although it took the messages');
			return { done, history: await historyText(work, format) };
		},
	);
	if (isFile) await writeWhole(history.text, output);
	else await writeText(io.stdout, history.text);
	const figures = done.compacted
		? `compacted from ${count(done.tokensBefore)} to ${count(done.tokensAfter)} tokens`
		: `${count(done.tokensAfter)} tokens, not compacted: ${printable(done.reason ?? done.outcome)}`;
	const hint = startHint[format];
	const report: Line[] = [
		[
			span(
				`${isFile ? `Wrote ${printable(output)}` : 'Wrote'} as ${format}: ${countOf(history.messages.length, 'message')}, ${figures}`,
			),
		],
		...(history.warnings ?? []).map((warning) => [span(printable(warning), 'yellow')]),
		...(hint ? [[span(hint, 'gray')]] : []),
	];
	await writeLines(isFile ? io.stdout : io.stderr, report, io.env);
}
