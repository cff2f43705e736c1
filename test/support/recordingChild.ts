/**
 * A process that records, searches and restores everything below a home folder: `recordingChild FOLDER HOME WORDS`. It writes
 * its findings as JSON, with the time and memory that it took.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { renderHtmlPage } from '../../server/core/restore/html.ts';
import type { CommandDaemon } from '../../server/front/console/daemon.ts';
import type { RecallResult } from '../../server/protocol/history.ts';
import type { RecordedSession } from '../../server/protocol/recorder.ts';
import { openWholeSession } from '../../server/start/wholeSession.ts';
import { createTestRecorder } from './recorder.ts';

const [folder = '', home = '', query = ''] = process.argv.slice(2);

/** Returns the number of folders that this process watches. Linux only. */
function watchCount(): number {
	if (process.platform !== 'linux') return 0;
	const folder = '/proc/self/fdinfo';
	const infos = readdirSync(folder).flatMap((name) => {
		try {
			return readFileSync(`${folder}/${name}`, 'utf8').split('\n');
		} catch {
			// The descriptor that listed the folder is now closed.
			return [];
		}
	});
	return infos.filter((line) => line.startsWith('inotify')).length;
}

async function run(): Promise<void> {
	const began = performance.now();
	const seconds = () => Math.round((performance.now() - began) / 100) / 10;
	const figures: Record<string, number> = {};

	const recorder = createTestRecorder(folder, home);
	await recorder.ask('set', { recording: true });
	await recorder.service.whenCaughtUp();
	figures.recordedSeconds = seconds();
	figures.watches = watchCount();
	let result: RecallResult;
	for (;;) {
		result = await recorder.ask<RecallResult>('recall', { query });
		if (result.pending === undefined) break;
		await setTimeout(100);
	}
	figures.indexedSeconds = seconds();
	const sessions = await recorder.ask<RecordedSession[]>('sessions', {});
	const daemon: Pick<CommandDaemon, 'request'> = {
		request: (_, params) => recorder.ask('read', params as object),
	};
	let [messages, pageLength] = [0, 0];
	for (const { recordingId } of sessions) {
		const whole = await openWholeSession(
			`recording:${recordingId}`,
			daemon as CommandDaemon,
			() => undefined,
		);
		messages += whole.history.countEntries().messages;
		for (const text of renderHtmlPage(whole)) pageLength += text.length;
		whole.close();
	}
	figures.restoredSeconds = seconds();
	await recorder.stop();
	const entries = sessions.reduce((sum, one) => sum + one.entries, 0);
	const maxMb = Math.round(process.resourceUsage().maxRSS / 1024);
	console.log(
		JSON.stringify({ entries, found: result.matches.length, messages, pageLength, ...figures, maxMb }),
	);
}

void run();
