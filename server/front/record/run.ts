/** Runs `contextd record`, as a client of the shared daemon. */

import { formatByteSize, formatCount, formatNumber } from '../../core/figures.ts';
import { type RecorderStatus, recorderPin, recorderSet, recorderStatus } from '../../protocol/recorder.ts';
import { type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { type FrontIo, writeJson, writeLines, writePlainLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import type { RecordCommand } from './command.ts';

/** Starts or stops recording, pins a recording, or shows what is stored. */
export async function runRecord(command: RecordCommand, io: FrontIo, openDaemon: OpenDaemon): Promise<void> {
	return useDaemon(openDaemon, async (daemon) => {
		if (command.action === 'pin' || command.action === 'unpin') {
			const pinned = command.action === 'pin';
			const session = await daemon.request(recorderPin, { recordingId: command.session, pinned });
			if (command.report === 'json') return writeJson(io.stdout, session);
			const name = `${session.recordingId} (${makePrintable(session.title ?? session.path)})`;
			const effect = pinned ? 'is kept until you erase it' : 'may be removed to save space';
			return writePlainLines(io, `${name} ${effect}`);
		}
		const status = await (command.action === 'status'
			? daemon.request(recorderStatus, {})
			: daemon.request(recorderSet, {
					recording: command.action === 'on',
					...(command.action === 'on' && command.settings),
				}));
		if (command.report === 'json') return writeJson(io.stdout, status);
		return writeLines(io.stdout, renderRecorderStatus(status), io.env);
	});
}

function renderRecorderStatus(status: RecorderStatus): Line[] {
	const { recording, recordings, excludedFolders, folder, problem, watchRefusal, unread } = status;
	return [
		[
			recording
				? span('Recording the sessions of all agents on this machine', 'bold')
				: span('Sessions are not recorded; contextd record on starts it', 'bold'),
		],
		[
			span(
				`${formatCount(recordings, 'recording')} · ${formatByteSize(status.bytes)} in ${makePrintable(folder)}`,
			),
		],
		[
			span(
				`At most ${formatSizeLimit(status.maxBytes)} and ${formatNumber(status.maxDays)} days; then the oldest are removed`,
				'gray',
			),
		],
		...(unread === undefined
			? []
			: [[span(`Still to be recorded: ${formatCount(unread, 'transcript')}`, 'gray' as const)]]),
		...excludedFolders.map((excluded): Line => [span(`Not recorded: ${makePrintable(excluded)}`, 'gray')]),
		...(problem === undefined ? [] : [[span(`Not working at the moment: ${makePrintable(problem)}`, 'red')]]),
		...(watchRefusal === undefined
			? []
			: [
					[
						span(
							`New sessions are found up to two minutes late, because the system cannot watch more folders: ${makePrintable(watchRefusal)}`,
							'yellow' as const,
						),
					],
				]),
		...(recording ? [[span('contextd record off stops it; contextd forget erases sessions', 'gray')]] : []),
	];
}

/** Formats a size limit in the units of `--max-size`. */
function formatSizeLimit(limit: number): string {
	const gibibytes = limit / 2 ** 30;
	return gibibytes >= 1 ? `${formatNumber(gibibytes)} GiB` : `${formatNumber(limit / 2 ** 20)} MiB`;
}
