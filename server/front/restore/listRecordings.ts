import { pathToFileURL } from 'node:url';
import { formatAge, formatByteSize, formatCount } from '../../core/figures.ts';
import { isWithin } from '../../core/transcript/index.ts';
import {
	type RecordedSession,
	type RecorderStatus,
	recorderSessions,
	recorderStatus,
} from '../../protocol/recorder.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { type FrontIo, measureColumns, writeJson, writeLines } from '../console/terminal.ts';
import { clipLine, type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { padEnd, padStart } from '../output/width.ts';
import type { RestoreCommand } from './command.ts';

/** Lists the recordings of the working folder or of all folders, newest first, and how to restore one. */
export async function listRecordings(
	{ shouldListAll, report }: Pick<RestoreCommand, 'shouldListAll' | 'report'>,
	io: FrontIo,
	daemon: CommandDaemon,
): Promise<void> {
	const folder = process.cwd();
	const workspace = shouldListAll ? undefined : pathToFileURL(folder).href;
	const { sessions } = await daemon.request(recorderSessions, { workspace });
	if (report === 'json') return writeJson(io.stdout, sessions);
	const lines: Line[] =
		sessions.length === 0
			? explainNothingRecorded(await daemon.request(recorderStatus, {}), shouldListAll ? undefined : folder)
			: [
					...renderRecordings(sessions, Date.now(), measureColumns(io.stdout, io.env)),
					[
						span('contextd restore ', 'cyan'),
						span(sessions[0]?.recordingId ?? '', 'cyan'),
						span(' -o session.html', 'cyan'),
						span(' writes the newest as a page.', 'gray'),
					],
				];
	await writeLines(io.stdout, lines, io.env);
}

/** Renders the recordings, one per line with its path below. */
function renderRecordings(recordings: readonly RecordedSession[], now: number, columns: number): Line[] {
	const width = Math.max(...recordings.map(({ agent }) => agent.length));
	return recordings.flatMap(({ recordingId, agent, title, path, updatedAt, entries, pinned, ...of }) => [
		clipLine(
			[
				span(`${recordingId}  `, 'bold'),
				span(`${padEnd(agent, width)}  `, 'cyan'),
				span(`${padStart(formatAge(now - updatedAt), 13)}  `, 'gray'),
				span(
					`${padStart(formatCount(entries, 'record'), 13)}  ${padStart(formatByteSize(of.bytes), 8)}  `,
					'gray',
				),
				span(pinned ? 'pinned  ' : '', 'yellow'),
				span(makePrintable(title ?? '(no title)')),
			],
			columns,
		),
		[span(`  ${makePrintable(path)}`, 'gray')],
	]);
}

/**
 * Returns lines that say why no recording can be listed, and what to do.
 * @param folder the folder whose recordings were requested; absent: all folders
 */
function explainNothingRecorded(status: RecorderStatus, folder: string | undefined): Line[] {
	const scope = folder === undefined ? 'on this machine' : `in ${makePrintable(folder)}`;
	return [
		[span(`Nothing is recorded ${scope}.`)],
		...explainReason(status, folder),
		...(folder !== undefined && status.recordings > 0
			? [[span('contextd restore --all', 'cyan'), span(' lists the recordings of other folders.', 'gray')]]
			: []),
	];
}

function explainReason(
	{ recording, problem, excludedFolders }: RecorderStatus,
	folder: string | undefined,
): Line[] {
	if (!recording) {
		return [
			[
				span('contextd record on', 'cyan'),
				span(' records the sessions of all agents, also those that exist already.', 'gray'),
			],
		];
	}
	if (problem !== undefined) return [[span(`Recording does not work: ${makePrintable(problem)}`, 'red')]];
	const excluded = excludedFolders.find((one) => folder !== undefined && isWithin(folder, one));
	if (excluded !== undefined)
		return [[span(`Sessions in ${makePrintable(excluded)} are not recorded: you excluded it.`, 'gray')]];
	const agents = folder === undefined ? 'An agent' : 'An agent that you start here';
	return [[span(`Recording is on. ${agents} is recorded from its first message.`, 'gray')]];
}
