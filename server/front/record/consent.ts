/** Whether the user was asked about recording, and what they answered. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { tryParseJson } from '../../core/shape.ts';
import { asFields } from '../../core/transcript/reading/values.ts';
import { recorderSet } from '../../protocol/recorder.ts';
import { askYesNo } from '../console/askPerson.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import type { StartCommandDaemon } from '../transcript/fileCommand.ts';

/** `never asked`, or the answer that applies now. */
export type RecordingConsent = 'never asked' | 'on' | 'off';

/** The consent in a state folder. */
export async function recordingConsent(stateFolder: string): Promise<RecordingConsent> {
	const text = await ifExists(readFile(join(stateFolder, 'recorder', 'settings.json'), 'utf8'));
	if (text === undefined) return 'never asked';
	return asFields(tryParseJson(text)?.value).recording === true ? 'on' : 'off';
}

/** Asks a person at a terminal once, ever, whether to record. */
export async function askToRecord(
	stateFolder: string,
	io: FrontIo,
	connectDaemon: StartCommandDaemon,
): Promise<void> {
	const isAsked = (await recordingConsent(stateFolder)) !== 'never asked';
	if (isAsked || !io.stdin.isTTY || !io.stdout.isTTY) return;
	const lines = [
		'',
		'Agents delete and rewrite their sessions. contextd can keep a copy of every session of every agent on this',
		`machine in ${printableText(join(stateFolder, 'recorder'))}, which only you can read: at most 5 GiB, and 365 days.`,
	];
	await writeLines(
		io.stdout,
		lines.map((text) => [span(text)]),
		io.env,
	);
	const recording = await askYesNo('Record sessions? "contextd record off" stops it. [y/N] ', io);
	await setRecording(recording, connectDaemon);
	const result = recording
		? 'Recording sessions.'
		: 'Nothing is recorded. "contextd record on" starts it later.';
	await writeLines(io.stdout, [[span(result)]], io.env);
}

/** Stops recording if it is on; returns a line about it. */
export async function stopRecording(
	stateFolder: string,
	connectDaemon: StartCommandDaemon,
): Promise<string | undefined> {
	if ((await recordingConsent(stateFolder)) !== 'on') return undefined;
	await setRecording(false, connectDaemon);
	const folder = printableText(join(stateFolder, 'recorder'));
	return `Stopped recording sessions. What is recorded stays in ${folder}; contextd uninstall --purge deletes it`;
}

async function setRecording(recording: boolean, connectDaemon: StartCommandDaemon): Promise<void> {
	const daemon = await connectDaemon();
	try {
		await daemon.request(recorderSet, { recording });
	} finally {
		await daemon.close();
	}
}
