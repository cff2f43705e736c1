/** Runs `contextd forget`: lists what would be erased, asks, and erases it. */

import { resolve } from 'node:path';
import { RequestError } from '../../client/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { findAgentLabel, parseRecordingPath } from '../../core/transcript/index.ts';
import {
	type RecorderForgetParams,
	type RecorderForgetResult,
	recorderForget,
	recorderStatus,
} from '../../protocol/recorder.ts';
import { askYesNo } from '../console/askPerson.ts';
import { type CommandDaemon, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { type FrontIo, writeLines, writePlainLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import type { ForgetCommand } from './command.ts';

/** Asks, then erases a session or a text from everything that contextd stores. */
export async function runForget(
	{ target, mode }: ForgetCommand,
	io: FrontIo,
	connect: OpenDaemon,
): Promise<void> {
	return useDaemon(connect, async (daemon) => {
		const unsearched = 'containing' in target ? await describeUnsearched(daemon) : undefined;
		if (unsearched !== undefined) await writeLines(io.stdout, [[span(unsearched, 'yellow')]], io.env);
		const { params, erasable } = await findErasableRecords(daemon, target);
		if (isEmpty(erasable)) {
			await writeLines(
				io.stdout,
				[[span('contextd stores nothing with this text.')], ...renderRemaining(erasable)],
				io.env,
			);
			return;
		}
		await writeLines(io.stdout, [...renderErasable(erasable), ...renderRemaining(erasable)], io.env);
		if (mode === 'dry run' || (mode === 'ask' && !(await askForConfirmation(io)))) return;
		const erased = await daemon.request(recorderForget, params);
		await writePlainLines(io, `Erased ${describeErased(erased)}.`);
	});
}

/** Returns a warning about transcripts that may contain the text but are not searched; undefined if there are none. */
async function describeUnsearched(daemon: CommandDaemon): Promise<string | undefined> {
	const { recording, problem, unread } = await daemon.request(recorderStatus, {});
	if (!recording)
		return 'Recording is off, so only existing recordings are searched. If you turn it on, other transcripts with the text are recorded.';
	if (problem !== undefined)
		return `Recording does not work at the moment (${makePrintable(problem)}), so later recordings may contain the text. Repeat the command once it works.`;
	if (unread === undefined) return undefined;
	return `First recording ${formatCount(unread, 'transcript')}, which may contain the text.`;
}

/** Finds what would be erased, and the params that erase it. Throws with exit code 2 if no session has this name. */
async function findErasableRecords(
	daemon: CommandDaemon,
	target: ForgetCommand['target'],
): Promise<{ params: RecorderForgetParams; erasable: RecorderForgetResult }> {
	if ('containing' in target) {
		const params = { containing: target.containing };
		return { params, erasable: await daemon.request(recorderForget, { ...params, dryRun: true }) };
	}
	const recording = parseRecordingPath(target.session) ?? target.session;
	// The user may have typed a relative path, but the daemon knows only absolute ones.
	for (const recordingId of [recording, resolve(recording)]) {
		try {
			return {
				params: { recordingId },
				erasable: await daemon.request(recorderForget, { recordingId, dryRun: true }),
			};
		} catch (error) {
			if (!(error instanceof RequestError) || error.kind !== 'SessionNotFound') throw error;
		}
	}
	throw createInputFailure(
		`no recorded or stored session "${makePrintable(target.session)}": contextd restore lists the recordings of this folder`,
	);
}

function isEmpty({ sessions, stored, files }: RecorderForgetResult): boolean {
	return sessions.length + stored.length + files === 0;
}

/** Describes erased data, such as `12 records of 1 recording, 1 stored session and 2 other files`. */
function describeErased({ sessions, entries, stored, files }: RecorderForgetResult): string {
	const parts = [
		sessions.length > 0
			? `${formatCount(entries, 'record')} of ${formatCount(sessions.length, 'recording')}`
			: '',
		stored.length > 0 ? formatCount(stored.length, 'stored session') : '',
		files > 0 ? formatCount(files, 'other file') : '',
	].filter((part) => part !== '');
	const lastPart = parts.pop() ?? 'nothing';
	return parts.length === 0 ? lastPart : `${parts.join(', ')} and ${lastPart}`;
}

/** Maximum number of sessions or files to list one by one. */
const maxListed = 20;

function renderErasable(erasable: RecorderForgetResult): Line[] {
	const { sessions, stored } = erasable;
	const recordedLines = sessions.map(
		({ recordingId, agent, title }): Line => [
			span(`  ${recordingId}  `, 'bold'),
			span(`${findAgentLabel(agent)}  `, 'cyan'),
			span(makePrintable(title ?? '(no title)')),
		],
	);
	const storedLines = stored.map(
		({ sessionId, title }): Line => [
			span('  stored  ', 'gray'),
			span(`${makePrintable(sessionId)}  `),
			span(makePrintable(title ?? ''), 'gray'),
		],
	);
	const lines = [...recordedLines, ...storedLines];
	const omitted = lines.length - maxListed;
	return [
		[span(`Erases ${describeErased(erasable)}:`, 'bold')],
		...lines.slice(0, maxListed),
		...(omitted > 0 ? [[span(`  and ${formatCount(omitted, 'more session')}`, 'gray')]] : []),
	];
}

function renderRemaining({ remaining }: RecorderForgetResult): Line[] {
	if (remaining.length === 0) return [];
	return [
		[span('Not erased, because it belongs to an agent:', 'bold')],
		...remaining.slice(0, maxListed).map((path): Line => [span(`  ${makePrintable(path)}`)]),
		...(remaining.length > maxListed
			? [[span(`  and ${formatCount(remaining.length - maxListed, 'more file')}`, 'gray')]]
			: []),
	];
}

async function askForConfirmation(io: FrontIo): Promise<boolean> {
	if (!io.stdin.isTTY || !io.stdout.isTTY) {
		await writePlainLines(io, 'Add --yes to erase it.');
		return false;
	}
	if (await askYesNo('Erase this? It cannot be undone. [y/N] ', io)) return true;
	await writePlainLines(io, 'Nothing was erased.');
	return false;
}
