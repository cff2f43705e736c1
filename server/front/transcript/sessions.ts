import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatAge, formatByteSize, formatCount, formatPercent } from '../../core/figures.ts';
import { contextHistory } from '../../protocol/history.ts';
import { type SessionSummary, sessionClose, sessionList } from '../../protocol/session.ts';
import { type ContextState, contextStats } from '../../protocol/stats.ts';
import { contextDiscover, contextImport, type Transcript } from '../../protocol/transcript.ts';
import { type CommandDaemon, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { requireFolder } from '../console/inputFile.ts';
import { type FrontIo, measureColumns, writeJson, writeLines } from '../console/terminal.ts';
import { renderStackedBar } from '../output/bar.ts';
import { stateTones } from '../output/categories.ts';
import { MessageLabels } from '../output/labels.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { makePrintable, quotePrintableWord } from '../output/printable.ts';
import { padEnd, padStart } from '../output/width.ts';
import type { SessionsCommand } from './commands.ts';

/** How full a session is. */
export interface Fullness {
	/** Used tokens as a share of the agent's limit. */
	ratio: number;
	state: ContextState;
	/** Whether the limit is a guess. */
	isGuess: boolean;
	/** Time of the session's newest record. Milliseconds since the epoch. */
	activeAt: number;
}

/** Reads the end of a transcript to determine how full the session is; undefined if unknown. */
export type PeekSession = (
	transcript: Pick<Transcript, 'path' | 'updatedAt'>,
) => Promise<Fullness | undefined>;

/** A found transcript, with how full its session is. */
export type ListedSession = Transcript & { fullness?: Fullness };

/** Columns of a session's bar, and of the bar together with its percentage. */
const columnWidths = { bar: 10, fullness: 17 };

function renderFullness(fullness: Fullness | undefined): Line {
	if (fullness === undefined) return [span(' '.repeat(columnWidths.fullness))];
	const { ratio, state, isGuess } = fullness;
	const tone = stateTones[state];
	const figure = `${isGuess ? '~' : ''}${formatPercent(ratio)}`;
	const bar = renderStackedBar([{ size: ratio, tone }], 1, columnWidths.bar);
	return [...bar, span(` ${padStart(figure, columnWidths.fullness - columnWidths.bar - 3)}  `, tone)];
}

/** Renders the found sessions, one per line with its path below. */
export function renderSessions(sessions: readonly ListedSession[], now: number, columns: number): Line[] {
	const width = Math.max(...sessions.map(({ agent }) => agent.length));
	const isKnown = sessions.some(({ fullness }) => fullness !== undefined);
	return sessions.flatMap(({ agent, title, path, size, updatedAt, sessionId, fullness }) => [
		clipLine(
			[
				span(`${padEnd(agent, width)}  `, 'cyan'),
				...(isKnown ? renderFullness(fullness) : []),
				span(
					`${padStart(formatAge(now - (fullness?.activeAt ?? updatedAt)), 13)}  ${padStart(formatByteSize(size), 8)}  `,
					'gray',
				),
				span(makePrintable(title ?? '(no title)')),
			],
			columns,
		),
		[
			span(
				`  ${sessionId === undefined ? '' : `${makePrintable(sessionId)}  `}${makePrintable(path)}`,
				'gray',
			),
		],
	]);
}

/** Renders the stored sessions, one per line with its id below, as `undo`, `history` and `recall` accept it. */
function renderStoredSessions(sessions: readonly SessionSummary[], now: number, columns: number): Line[] {
	const counts = sessions.map(({ messageCount }) => formatCount(messageCount, 'message'));
	const width = Math.max(...counts.map((text) => text.length));
	return sessions.flatMap(({ sessionId, title, updatedAt }, index) => [
		clipLine(
			[
				span('stored', 'cyan'),
				span(
					`${padStart(formatAge(now - updatedAt), 13)}  ${padStart(counts[index] ?? '', width)}  `,
					'gray',
				),
				span(makePrintable(title ?? '(no title)')),
			],
			columns,
		),
		[span(`  --session ${quotePrintableWord(sessionId)}`, 'gray')],
	]);
}

/** Adds how full each session is. Reads one session at a time, so that only one is in memory. */
async function addFullness(
	daemon: CommandDaemon,
	transcripts: readonly Transcript[],
	peek: PeekSession,
): Promise<ListedSession[]> {
	const sessions: ListedSession[] = [];
	for (const transcript of transcripts) {
		const fullness = (await measurePluginSession(daemon, transcript)) ?? (await peek(transcript));
		sessions.push({ ...transcript, ...(fullness && { fullness }) });
	}
	return sessions;
}

/** Returns how full the view of a plugin's session is; undefined for a session without a plugin. */
async function measurePluginSession(
	daemon: CommandDaemon,
	{ path, sessionId, updatedAt }: Transcript,
): Promise<Fullness | undefined> {
	if (sessionId === undefined) return undefined;
	// This import only opens the session that the daemon stores, and writes nothing to it.
	const imported = await daemon.request(contextImport, { path });
	if (imported.sessionId !== sessionId) return undefined;
	const stats = await daemon.request(contextStats, { sessionId });
	await daemon.request(sessionClose, { sessionId });
	if (stats === null) return undefined;
	const { usageRatio, state, limit, lastActivityAt } = stats;
	return { ratio: usageRatio, state, isGuess: limit.of === 'guess', activeAt: lastActivityAt ?? updatedAt };
}

/** Runs `contextd sessions`: lists agents' transcripts in a folder, and the folder's stored sessions. */
export async function runSessions(
	command: SessionsCommand,
	io: FrontIo,
	start: OpenDaemon,
	peek: PeekSession,
): Promise<void> {
	if (command.folder !== undefined) await requireFolder(command.folder);
	const folder = resolve(command.folder ?? '.');
	return useDaemon(start, async (daemon) => {
		// Without a folder, the daemon searches everywhere.
		const workspace = command.shouldListAll ? undefined : pathToFileURL(folder).href;
		const { transcripts } = await daemon.request(contextDiscover, { workspace });
		if (command.report === 'json') {
			await writeJson(io.stdout, transcripts);
			return;
		}
		const { sessions } = await daemon.request(sessionList, { workspace });
		const pluginSessionIds = new Set(transcripts.map(({ sessionId }) => sessionId));
		const storedSessions = sessions.filter(
			({ source, sessionId }) => source === undefined && !pluginSessionIds.has(sessionId),
		);
		const columns = measureColumns(io.stdout, io.env);
		const scope = command.shouldListAll ? 'on this machine' : `of agents in ${makePrintable(folder)}`;
		const now = Date.now();
		const transcriptLines =
			transcripts.length === 0
				? [[span(`No transcripts ${scope}.`)]]
				: renderSessions(await addFullness(daemon, transcripts, peek), now, columns);
		const storedLines = storedSessions.length === 0 ? [] : renderStoredSessions(storedSessions, now, columns);
		await writeLines(io.stdout, [...transcriptLines, ...storedLines], io.env);
	});
}

/**
 * Returns labels for the visible messages of a session.
 * @param messageIds messages to label; absent: all
 */
export async function readHistoryLabels(
	daemon: CommandDaemon,
	sessionId: string,
	messageIds?: string[],
): Promise<MessageLabels> {
	const { messages } = await daemon.request(contextHistory, { sessionId, messageIds });
	return new MessageLabels(messages);
}
