import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatAge, formatPercent } from '../../core/figures.ts';
import type { Fields } from '../../core/shape.ts';
import { contextHistory } from '../../protocol/history.ts';
import { type SessionSummary, sessionClose, sessionList } from '../../protocol/session.ts';
import { type ContextState, contextStats } from '../../protocol/stats.ts';
import { contextDiscover, contextImport, type Transcript } from '../../protocol/transcript.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { requireFolder } from '../console/requireFolder.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from '../console/terminal.ts';
import { renderStackedBar } from '../output/bar.ts';
import { byteSizeText, countWithUnit } from '../output/figures.ts';
import { createLabels, type Labels } from '../output/labels.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { printableShellWord, printableText } from '../output/printable.ts';
import { padEnd, padStart } from '../output/width.ts';
import { stateTones } from '../output/words.ts';
import type { SessionsCommand } from './commands.ts';
import type { StartCommandDaemon } from './fileCommand.ts';

/** How full a session is. */
export interface Fullness {
	/** Share of the agent's limit. */
	ratio: number;
	state: ContextState;
	/** Whether the limit is a guess. */
	isGuess: boolean;
	/** Time of its last activity by its own records. Milliseconds since the epoch. */
	activeAt: number;
}

/** Determines how full a session is from its end; undefined if unknown. */
export type PeekSession = (
	transcript: Pick<Transcript, 'path' | 'updatedAt'>,
) => Promise<Fullness | undefined>;

/** A found transcript, with how full its session is. */
export type ListedSession = Transcript & { fullness?: Fullness };

/** Columns of a session's bar, and of everything about how full it is. */
const widths = { bar: 10, fullness: 17 };

function fullnessCells(fullness: Fullness | undefined): Line {
	if (fullness === undefined) return [span(' '.repeat(widths.fullness))];
	const { ratio, state, isGuess } = fullness;
	const tone = stateTones[state];
	const figure = `${isGuess ? '~' : ''}${formatPercent(ratio)}`;
	const bar = renderStackedBar([{ size: ratio, tone }], 1, widths.bar);
	return [...bar, span(` ${padStart(figure, widths.fullness - widths.bar - 3)}  `, tone)];
}

/** A session's id as an argument for commands on stored sessions. */
function idWord(sessionId: string): string {
	return `  --session ${printableShellWord(sessionId)}`;
}

/** The found sessions, one per line with its path below. */
export function sessionsView(sessions: readonly ListedSession[], now: number, columns: number): Line[] {
	const width = Math.max(...sessions.map(({ agent }) => agent.length));
	const isKnown = sessions.some(({ fullness }) => fullness !== undefined);
	return sessions.flatMap(({ agent, title, path, size, updatedAt, sessionId, fullness }) => [
		clipLine(
			[
				span(`${padEnd(agent, width)}  `, 'cyan'),
				...(isKnown ? fullnessCells(fullness) : []),
				span(
					`${padStart(formatAge(now - (fullness?.activeAt ?? updatedAt)), 13)}  ${padStart(byteSizeText(size), 8)}  `,
					'gray',
				),
				span(printableText(title ?? '(no title)')),
			],
			columns,
		),
		[
			span(
				`  ${sessionId === undefined ? '' : `${printableText(sessionId)}  `}${printableText(path)}`,
				'gray',
			),
		],
	]);
}

/** The stored sessions, one per line with its id below, as `undo`, `history` and `recall` accept it. */
export function storedView(sessions: readonly SessionSummary[], now: number, columns: number): Line[] {
	const counts = sessions.map(({ messageCount }) => countWithUnit(messageCount, 'message'));
	const width = Math.max(...counts.map((text) => text.length));
	return sessions.flatMap(({ sessionId, title, updatedAt }, index) => [
		clipLine(
			[
				span('stored', 'cyan'),
				span(
					`${padStart(formatAge(now - updatedAt), 13)}  ${padStart(counts[index] ?? '', width)}  `,
					'gray',
				),
				span(printableText(title ?? '(no title)')),
			],
			columns,
		),
		[span(idWord(sessionId), 'gray')],
	]);
}

/** Checks sessions one at a time, so that only one is in memory. */
async function withFullness(
	daemon: CommandDaemon,
	transcripts: readonly Transcript[],
	peek: PeekSession,
): Promise<ListedSession[]> {
	const sessions: ListedSession[] = [];
	for (const transcript of transcripts) {
		const fullness = (await pluginFullness(daemon, transcript)) ?? (await peek(transcript));
		sessions.push({ ...transcript, ...(fullness && { fullness }) });
	}
	return sessions;
}

/** How full a session with a plugin is, by the view that the plugin sends; undefined for any other. */
async function pluginFullness(
	daemon: CommandDaemon,
	{ path, sessionId, updatedAt }: Transcript,
): Promise<Fullness | undefined> {
	if (sessionId === undefined) return undefined;
	// Importing it by its path follows the daemon's stored session; nothing is written to it.
	const imported = await daemon.request(contextImport, { path });
	if (imported.sessionId !== sessionId) return undefined;
	const stats = await daemon.request(contextStats, { sessionId });
	await daemon.request(sessionClose, { sessionId });
	if (stats === null) return undefined;
	const { usageRatio, state, limit, lastActivityAt } = stats;
	return { ratio: usageRatio, state, isGuess: limit.of === 'guess', activeAt: lastActivityAt ?? updatedAt };
}

/** `contextd sessions`: lists agents' transcripts in a folder, and the folder's stored sessions. */
export async function runSessions(
	command: SessionsCommand,
	io: FrontIo,
	start: StartCommandDaemon,
	peek: PeekSession,
): Promise<void> {
	if (command.folder !== undefined) await requireFolder(command.folder);
	const folder = resolve(command.folder ?? '.');
	const daemon = await start();
	try {
		// Without a folder, the daemon searches everywhere.
		const workspace = command.all ? undefined : pathToFileURL(folder).href;
		const { transcripts } = await daemon.request(contextDiscover, { workspace });
		if (command.report === 'json') {
			await writeJson(io.stdout, transcripts);
			return;
		}
		const { sessions } = await daemon.request(sessionList, { workspace });
		const fed = new Set(transcripts.map(({ sessionId }) => sessionId));
		const stored = sessions.filter(({ source, sessionId }) => source === undefined && !fed.has(sessionId));
		const { columns } = canvasOf(io.stdout, io.env);
		const where = command.all ? 'on this machine' : `of agents in ${printableText(folder)}`;
		const now = Date.now();
		const found =
			transcripts.length === 0
				? [[span(`No transcripts ${where}.`)]]
				: sessionsView(await withFullness(daemon, transcripts, peek), now, columns);
		const own = stored.length === 0 ? [] : storedView(stored, now, columns);
		await writeLines(io.stdout, [...found, ...own], io.env);
	} finally {
		await daemon.close();
	}
}

/**
 * What visible messages of a session are about.
 * @param messageIds which messages; absent: all
 */
export async function historyLabels(
	daemon: CommandDaemon,
	sessionId: string,
	messageIds?: string[],
): Promise<Labels> {
	const labels = createLabels();
	const { messages } = await daemon.request(contextHistory, { sessionId, messageIds });
	for (const message of messages as Fields[]) {
		if (typeof message.id === 'string') labels.add(message.id, message);
	}
	return labels;
}
