/** Asks the user once whether to record sessions, and reads the stored answer. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { tryParseJson } from '../../core/shape.ts';
import { asFields } from '../../core/values.ts';
import { recorderSet } from '../../protocol/recorder.ts';
import { askYesNo } from '../console/askPerson.ts';
import { type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { type FrontIo, writePlainLines } from '../console/terminal.ts';
import { makePrintable } from '../output/printable.ts';

/** The user's current answer, or `never asked`. */
export type RecordingConsent = 'never asked' | 'on' | 'off';

async function readRecordingConsent(stateFolder: string): Promise<RecordingConsent> {
	const text = await ifExists(readFile(join(stateFolder, 'recorder', 'settings.json'), 'utf8'));
	if (text === undefined) return 'never asked';
	return asFields(tryParseJson(text)?.value).recording === true ? 'on' : 'off';
}

/** Asks a person at a terminal whether to record, unless someone was asked before for this state folder. */
export async function askToRecord(stateFolder: string, io: FrontIo, openDaemon: OpenDaemon): Promise<void> {
	const isAsked = (await readRecordingConsent(stateFolder)) !== 'never asked';
	if (isAsked || !io.stdin.isTTY || !io.stdout.isTTY) return;
	const lines = [
		'',
		'Agents delete and rewrite their sessions. contextd can keep a copy of every session of every agent on this',
		`machine in ${makePrintable(join(stateFolder, 'recorder'))}, which only you can read: at most 5 GiB, and 365 days.`,
	];
	await writePlainLines(io, ...lines);
	const recording = await askYesNo('Record sessions? "contextd record off" stops it. [y/N] ', io);
	await setRecording(recording, openDaemon);
	const result = recording
		? 'Recording sessions.'
		: 'Nothing is recorded. "contextd record on" starts it later.';
	await writePlainLines(io, result);
}

/** Stops recording if it is on; returns a line that says so. */
export async function stopRecording(
	stateFolder: string,
	connectDaemon: OpenDaemon,
): Promise<string | undefined> {
	if ((await readRecordingConsent(stateFolder)) !== 'on') return undefined;
	await setRecording(false, connectDaemon);
	const folder = makePrintable(join(stateFolder, 'recorder'));
	return `Stopped recording sessions. What is recorded stays in ${folder}; contextd uninstall --purge deletes it`;
}

async function setRecording(recording: boolean, connectDaemon: OpenDaemon): Promise<void> {
	return useDaemon(connectDaemon, async (daemon) => {
		await daemon.request(recorderSet, { recording });
	});
}
