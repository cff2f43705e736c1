/** Runs commands on stored sessions, as a client of the shared daemon. */

import { pathToFileURL } from 'node:url';
import { formatCount, formatNumber, formatPercent } from '../../core/figures.ts';
import { toWholeRequest } from '../../core/meter/reading.ts';
import { type Fields, isFields } from '../../core/shape.ts';
import { agents, findAgentLabel } from '../../core/transcript/index.ts';
import { contextCompact, contextUndo } from '../../protocol/compact.ts';
import { contextHistory, contextRecall } from '../../protocol/history.ts';
import { type SessionSummary, sessionList } from '../../protocol/session.ts';
import { type ContextStats, contextStats } from '../../protocol/stats.ts';
import { type CommandDaemon, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { selectSourcesToFree } from '../console/freeSelection.ts';
import { createProgressLine } from '../console/progressLine.ts';
import { type FrontIo, measureColumns, writeJson, writeLines } from '../console/terminal.ts';
import { MessageLabels } from '../output/labels.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { measureIdColumns, renderMessageCells } from '../output/messageRow.ts';
import { makePrintable, quotePrintableWord } from '../output/printable.ts';
import type { CompactStoredCommand, SessionCommand, UndoCommand } from './commands.ts';

interface StoredReport {
	/** The report as one JSON value. */
	json: unknown;
	lines: Line[];
}

function formatCommandLine(name: string, { sessionId }: SessionSummary): string {
	return `contextd ${name} --session ${quotePrintableWord(sessionId)}`;
}

async function compactStoredSession(
	daemon: CommandDaemon,
	session: SessionSummary,
	{ target, instructions, free: names }: CompactStoredCommand,
	io: FrontIo,
): Promise<StoredReport> {
	requireNotMirrored(session);
	const progress = createProgressLine(io);
	const { sessionId } = session;
	const free = await selectSourcesToFree(daemon, sessionId, names);
	const params = { sessionId, targetTokens: target, instructions, free, includeMessages: false };
	try {
		const result = await daemon.requestWithProgress(
			(workDoneToken) => daemon.request(contextCompact, { ...params, workDoneToken }),
			(value) => {
				if (value.kind !== 'end') progress.show([span(`Compacting · ${makePrintable(value.message ?? '')}`)]);
			},
		);
		if (!result) return { json: result, lines: [[span(`${makePrintable(sessionId)} has no messages.`)]] };
		if (result.compactionId === undefined) {
			const reason = makePrintable(result.reason ?? result.outcome);
			return { json: result, lines: [[span(`${makePrintable(sessionId)} was not compacted: ${reason}`)]] };
		}
		const stats = await daemon.request(contextStats, { sessionId });
		const { tokensBefore, tokensAfter } = stats === null ? result : toWholeRequest(result, stats);
		const { stagesUsed, compactionId, warnings = [] } = result;
		const lines: Line[] = [
			[
				span(`Compacted ${makePrintable(sessionId)}: `, 'bold'),
				span(
					`${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens (${stagesUsed.join(', ')})`,
				),
			],
			...renderUsage(stats),
			[span('Compaction  ', 'gray'), span(compactionId)],
			[span('Undo it     ', 'gray'), span(formatCommandLine(`undo ${compactionId}`, session), 'cyan')],
			...warnings.map((warning): Line => [span(makePrintable(warning), 'yellow')]),
		];
		return { json: result, lines };
	} finally {
		progress.clear();
	}
}

function renderUsage(stats: ContextStats | null): Line[] {
	if (stats === null) return [];
	const { estimatedInputTokens, availableInputTokens, usageRatio } = stats;
	const figures = `${formatNumber(estimatedInputTokens)} of ${formatNumber(availableInputTokens)} tokens`;
	return [[span('Now         ', 'gray'), span(`${figures}, ${formatPercent(usageRatio)}`)]];
}

async function undoStoredSession(
	daemon: CommandDaemon,
	session: SessionSummary,
	{ step }: UndoCommand,
): Promise<StoredReport> {
	requireNotMirrored(session);
	const result = await daemon.request(contextUndo, { sessionId: session.sessionId, compactionId: step });
	const lines: Line[] = [
		[
			span(`Undone in ${makePrintable(session.sessionId)}: `, 'bold'),
			span(result.undone.map(makePrintable).join(', ')),
		],
		...renderUsage(result.stats),
		...(result.stats?.undoable
			? [[span('Go further  ', 'gray'), span(formatCommandLine('undo', session), 'cyan')]]
			: []),
		[span('Compact     ', 'gray'), span(formatCommandLine('compact', session), 'cyan')],
	];
	return { json: result, lines };
}

async function listHistory(
	daemon: CommandDaemon,
	{ sessionId }: SessionSummary,
	io: FrontIo,
): Promise<StoredReport> {
	const result = await daemon.request(contextHistory, { sessionId });
	const columns = measureColumns(io.stdout, io.env);
	const labels = new MessageLabels();
	const messages = result.messages.filter(isFields);
	const width = measureIdColumns(messages.map(({ id }) => String(id ?? '')));
	const lines = messages.map((message: Fields, index): Line => {
		// A history has ids only for messages that got an id from the client.
		const messageId = String(message.id ?? '');
		const key = messageId === '' ? `#${index}` : messageId;
		labels.add(key, message);
		const role = readRole(message.role);
		return clipLine(renderMessageCells({ messageId, role }, labels.get(key), columns, width), columns);
	});
	return { json: result, lines: [...lines, [span(formatCount(lines.length, 'message'), 'gray')]] };
}

const roles = ['system', 'user', 'assistant', 'tool'] as const;

function readRole(role: unknown): (typeof roles)[number] {
	return roles.find((one) => one === role) ?? 'user';
}

async function searchStoredSession(
	daemon: CommandDaemon,
	{ sessionId }: SessionSummary,
	query: string,
): Promise<StoredReport> {
	const result = await daemon.request(contextRecall, { sessionId, query });
	const lines = result.matches.flatMap(({ messageId, role, toolName, excerpt, hiddenBy }): Line[] => [
		[
			span(makePrintable(messageId), 'bold'),
			span(`  ${makePrintable(toolName ?? role)}`, 'gray'),
			span(hiddenBy === undefined ? '' : `  hidden by ${makePrintable(hiddenBy)}`, 'yellow'),
		],
		[span(`  ${makePrintable(excerpt)}`)],
	]);
	const shownCount = result.matches.length;
	const countText = `${formatCount(result.total, 'message')} with these words${shownCount < result.total ? `, the best ${shownCount} shown` : ''}`;
	return { json: result, lines: [...lines, [span(countText, 'gray')]] };
}

function createReport(
	daemon: CommandDaemon,
	session: SessionSummary,
	command: SessionCommand,
	io: FrontIo,
): Promise<StoredReport> {
	switch (command.name) {
		case 'compact session':
			return compactStoredSession(daemon, session, command, io);
		case 'undo':
			return undoStoredSession(daemon, session, command);
		case 'history':
			return listHistory(daemon, session, io);
		case 'recall':
			return searchStoredSession(daemon, session, command.words);
	}
}

/**
 * Runs `contextd compact --session`, `undo`, `history` or `recall` on a stored session.
 * @param start connects to the daemon that all clients share
 */
export async function runSessionCommand(
	command: SessionCommand,
	io: FrontIo,
	start: OpenDaemon,
): Promise<void> {
	return useDaemon(start, async (daemon) => {
		const session = await selectSession(daemon, command.session);
		const { json, lines } = await createReport(daemon, session, command, io);
		if (command.report === 'json') await writeJson(io.stdout, json);
		else await writeLines(io.stdout, lines, io.env);
	});
}

/** Maximum number of ids in an error, if the folder has no session. */
const maxListedIds = 3;

/** Returns the selected session; throws with exit code 2 if there is none. */
async function selectSession(daemon: CommandDaemon, session: string): Promise<SessionSummary> {
	const { sessions } = await daemon.request(sessionList, {});
	if (session !== 'newest') {
		const match = sessions.find(({ sessionId }) => sessionId === session);
		if (match) return match;
		throw createInputFailure(`there is no stored session "${makePrintable(session)}"${listOthers(sessions)}`);
	}
	const workspace = pathToFileURL(process.cwd()).href;
	const folderSessions = (await daemon.request(sessionList, { workspace })).sessions;
	const newest = folderSessions.find(({ source }) => source === undefined);
	if (newest) return newest;
	throw createInputFailure(
		`no session is stored for ${makePrintable(process.cwd())}${listOthers(sessions)}; contextd stats shows the newest session of an agent here`,
	);
}

function listOthers(sessions: readonly SessionSummary[]): string {
	const storedSessions = sessions.filter(({ source }) => source === undefined).slice(0, maxListedIds);
	if (storedSessions.length === 0) return '';
	return `; the newest stored ones: ${storedSessions.map(({ sessionId }) => makePrintable(sessionId)).join(', ')}`;
}

/** Throws with exit code 2 for a session that mirrors a transcript: its agent would not see the change. */
function requireNotMirrored({ sessionId, source, transcript }: SessionSummary): void {
	if (source === undefined) return;
	const agent = findAgentLabel(source);
	const plugin = agents.find(({ name }) => name === source)?.plugin;
	const control =
		plugin === undefined
			? `contextd has no plugin for ${agent}`
			: `contextd install ${plugin.prefix} makes new sessions compactable`;
	const copy =
		transcript === undefined
			? ''
			: `; contextd compact ${makePrintable(transcript)} shows what a compaction would do`;
	throw createInputFailure(
		`session ${makePrintable(sessionId)} mirrors a transcript of ${agent}, which only ${agent} can change: ${control}${copy}`,
	);
}
