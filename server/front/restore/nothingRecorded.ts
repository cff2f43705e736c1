import { isWithin } from '../../core/transcript/reading/home.ts';
import type { RecorderStatus } from '../../protocol/recorder.ts';
import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';

/** Lines that say why no recording can be listed, and what to do. @param folder absent: all folders were asked for */
export function nothingRecorded(status: RecorderStatus, folder: string | undefined): Line[] {
	const where = folder === undefined ? 'on this machine' : `in ${printable(folder)}`;
	return [
		[span(`Nothing is recorded ${where}.`)],
		...reason(status, folder),
		...(folder !== undefined && status.recordings > 0
			? [[span('contextd restore --all', 'cyan'), span(' lists the recordings of other folders.', 'gray')]]
			: []),
	];
}

function reason({ recording, problem, excludedFolders }: RecorderStatus, folder: string | undefined): Line[] {
	if (!recording) {
		return [
			[
				span('contextd record on', 'cyan'),
				span(' records the sessions of all agents, also those that exist already.', 'gray'),
			],
		];
	}
	if (problem !== undefined) return [[span(`Recording does not work: ${printable(problem)}`, 'red')]];
	const excluded = excludedFolders.find((one) => folder !== undefined && isWithin(folder, one));
	if (excluded !== undefined)
		return [[span(`Sessions in ${printable(excluded)} are not recorded: you excluded it.`, 'gray')]];
	const agents = folder === undefined ? 'An agent' : 'An agent that you start here';
	return [[span(`Recording is on. ${agents} is recorded from its first message.`, 'gray')]];
}
