/** `contextd forget`: says what would be erased, asks, and erases it. */

import { resolve } from 'node:path';
import { RequestError } from '../../client/errors.ts';
import { findAgentLabel } from '../../core/transcript/agents.ts';
import { parseRecordingPath } from '../../core/transcript/recordingPath.ts';
import {
	type RecorderForgetParams,
	type RecorderForgetResult,
	recorderForget,
	recorderStatus,
} from '../../protocol/recorder.ts';
import { askYesNo } from '../console/askPerson.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { badInput } from '../console/failure.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { countWithUnit } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import type { StartCommandDaemon } from '../transcript/fileCommand.ts';
import type { ForgetCommand } from './command.ts';

/** Erases a session or a text from everything that contextd keeps, after a question. */
export async function runForget(
	{ target, mode }: ForgetCommand,
	io: FrontIo,
	connect: StartCommandDaemon,
): Promise<void> {
	const daemon = await connect();
	try {
		const unsearched = 'containing' in target ? await unsearchedText(daemon) : undefined;
		if (unsearched !== undefined) await writeLines(io.stdout, [[span(unsearched, 'yellow')]], io.env);
		const { params, found } = await findErasable(daemon, target);
		if (isEmpty(found)) {
			await writeLines(
				io.stdout,
				[[span('contextd keeps nothing with this text.')], ...remainingLines(found)],
				io.env,
			);
			return;
		}
		await writeLines(io.stdout, [...foundLines(found), ...remainingLines(found)], io.env);
		if (mode === 'dry run' || (mode === 'ask' && !(await isConfirmed(io)))) return;
		const erased = await daemon.request(recorderForget, params);
		await writeLines(io.stdout, [[span(`Erased ${partsOf(erased)}.`)]], io.env);
	} finally {
		await daemon.close();
	}
}

/** Says which transcripts may have a text besides those that are recorded; undefined if there are none. */
async function unsearchedText(daemon: CommandDaemon): Promise<string | undefined> {
	const { recording, problem, unread } = await daemon.request(recorderStatus, {});
	if (!recording) {
		return 'Recording is off, so only what is recorded is searched: contextd record on would also record other transcripts with the text.';
	}
	if (problem !== undefined) {
		return `Nothing can be recorded at the moment (${printableText(problem)}): what is recorded later may have the text. Repeat the command then.`;
	}
	if (unread === undefined) return undefined;
	return `Waiting for ${countWithUnit(unread, 'transcript')} that may have the text, because not everything is recorded yet.`;
}

/** Finds what would be erased, and the params that erase it. Throws with exit code 2 if nothing has the name. */
async function findErasable(
	daemon: CommandDaemon,
	target: ForgetCommand['target'],
): Promise<{ params: RecorderForgetParams; found: RecorderForgetResult }> {
	if ('containing' in target) {
		const params = { containing: target.containing };
		return { params, found: await daemon.request(recorderForget, { ...params, dryRun: true }) };
	}
	const named = parseRecordingPath(target.session) ?? target.session;
	// A path may be relative, and the daemon knows only the full one.
	for (const recordingId of [named, resolve(named)]) {
		try {
			return {
				params: { recordingId },
				found: await daemon.request(recorderForget, { recordingId, dryRun: true }),
			};
		} catch (error) {
			if (!(error instanceof RequestError) || error.kind !== 'SessionNotFound') throw error;
		}
	}
	throw badInput(
		`nothing is recorded or stored of "${printableText(target.session)}": contextd restore lists the recordings of this folder`,
	);
}

function isEmpty({ sessions, stored, files }: RecorderForgetResult): boolean {
	return sessions.length + stored.length + files === 0;
}

/** Describes the erased data: `12 records of 1 recording, 1 stored session and 2 other files`. */
function partsOf({ sessions, entries, stored, files }: RecorderForgetResult): string {
	const parts = [
		sessions.length > 0
			? `${countWithUnit(entries, 'record')} of ${countWithUnit(sessions.length, 'recording')}`
			: '',
		stored.length > 0 ? countWithUnit(stored.length, 'stored session') : '',
		files > 0 ? countWithUnit(files, 'other file') : '',
	].filter((part) => part !== '');
	const last = parts.pop() ?? 'nothing';
	return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** Maximum number of sessions that are named one by one. */
const maxNamed = 20;

function foundLines(found: RecorderForgetResult): Line[] {
	const { sessions, stored } = found;
	const recorded = sessions.map(
		({ recordingId, agent, title }): Line => [
			span(`  ${recordingId}  `, 'bold'),
			span(`${findAgentLabel(agent)}  `, 'cyan'),
			span(printableText(title ?? '(no title)')),
		],
	);
	const own = stored.map(
		({ sessionId, title }): Line => [
			span('  stored  ', 'gray'),
			span(`${printableText(sessionId)}  `),
			span(printableText(title ?? ''), 'gray'),
		],
	);
	const named = [...recorded, ...own];
	const more = named.length - maxNamed;
	return [
		[span(`Erases ${partsOf(found)}:`, 'bold')],
		...named.slice(0, maxNamed),
		...(more > 0 ? [[span(`  and ${countWithUnit(more, 'more session')}`, 'gray')]] : []),
	];
}

function remainingLines({ remaining }: RecorderForgetResult): Line[] {
	if (remaining.length === 0) return [];
	return [
		[span('Stays, because it belongs to an agent:', 'bold')],
		...remaining.slice(0, maxNamed).map((path): Line => [span(`  ${printableText(path)}`)]),
		...(remaining.length > maxNamed
			? [[span(`  and ${countWithUnit(remaining.length - maxNamed, 'more file')}`, 'gray')]]
			: []),
	];
}

async function isConfirmed(io: FrontIo): Promise<boolean> {
	if (!io.stdin.isTTY || !io.stdout.isTTY) {
		await writeLines(io.stdout, [[span('Add --yes to erase it.')]], io.env);
		return false;
	}
	if (await askYesNo('Erase this? It cannot be undone. [y/N] ', io)) return true;
	await writeLines(io.stdout, [[span('Nothing was erased.')]], io.env);
	return false;
}
