import { pathToFileURL } from 'node:url';
import { isAgentSession } from '../../core/transcript/write/file.ts';
import { contextDiscover, contextExport } from '../../protocol/transcript.ts';
import { checkOutput } from '../console/checkOutput.ts';
import { workFailed } from '../console/failure.ts';
import { type FrontIo, writeLines, writeText } from '../console/terminal.ts';
import { writeWhole } from '../console/writeHistory.ts';
import { count, countOf } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printable, printableJson } from '../output/printable.ts';
import {
	agentPlaceOf,
	codexProvider,
	type NewAgentSession,
	placeSession,
	resumeCommand,
	resumeFromFile,
} from './agentPlace.ts';
import type { ExportCommand } from './commands.ts';
import { type FileWork, type StartCommandDaemon, withFile } from './fileCommand.ts';

/** How to resume the exported session, in lines. */
function hintFor(session: NewAgentSession, { output, isPlaced }: ExportCommand, place: string): Line[] {
	const isFile = output !== undefined && output !== '-';
	if (isPlaced || isFile) {
		const command = isPlaced ? resumeCommand(session, place) : resumeFromFile(session, output ?? '', place);
		return [[span('Continue with: ', 'gray'), span(command, 'cyan')]];
	}
	const later =
		session.format === 'opencode' ? resumeFromFile(session, place, place) : resumeCommand(session, place);
	return [[span(`Save it as ${printable(place)}, or use --place; then: `, 'gray'), span(later, 'cyan')]];
}

/** Milliseconds without activity after which a session no longer counts as running. */
const inactiveMs = 4 * 3_600_000;

/** Returns when a folder's running session last changed, in ms since the epoch; undefined if none runs. */
async function runningHere({ daemon }: FileWork, cwd: string): Promise<number | undefined> {
	const { transcripts } = await daemon.request(contextDiscover, { workspace: pathToFileURL(cwd).href });
	const [newest] = transcripts;
	if (newest === undefined) return undefined;
	const { lastActivityAt = newest.updatedAt } = newest;
	return lastActivityAt > Date.now() - inactiveMs ? lastActivityAt : undefined;
}

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
	const { text, messageCount, compaction, warnings, agentSessionId, running } = await withFile(
		{ file: command.file, output },
		() => ({}),
		io,
		start,
		async (work) => {
			work.progress.show([span('Compacting')]);
			const { sessionId } = work.session;
			const agentProvider = format === 'codex' ? await codexProvider(io.env) : undefined;
			const params = { sessionId, format, targetTokens: target, cwd, agentProvider };
			const exported = await work.daemon.request(contextExport, params);
			return { ...exported, running: isPlaced ? await runningHere(work, cwd) : undefined };
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
		await placeSession(session, place, text, { running, env: io.env });
	} else if (isFile) await writeWhole(text, output);
	else await writeText(io.stdout, printableJson(text));
	const figures = compaction.compacted
		? `compacted from ${count(compaction.tokensBefore)} to ${count(compaction.tokensAfter)} tokens`
		: `${count(compaction.tokensAfter)} tokens, not compacted: ${printable(compaction.reason ?? compaction.outcome)}`;
	const written = isPlaced ? place : isFile ? output : undefined;
	const report: Line[] = [
		[
			span(
				`Wrote${written === undefined ? '' : ` ${printable(written)}`} as ${format}: ${countOf(messageCount, 'message')}, ${figures}`,
			),
		],
		...(warnings ?? []).map((warning) => [span(printable(warning), 'yellow')]),
		...(session && place !== undefined ? hintFor(session, command, place) : []),
	];
	await writeLines(written === undefined ? io.stderr : io.stdout, report, io.env);
}
