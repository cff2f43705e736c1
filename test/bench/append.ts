/**
 * What it costs a daemon that runs for a while to take messages: CPU time, and time in all, of appends one by one and in hundreds.
 * `npm run bench -- append`, after `npm run build`. Linux alone.
 */

import { resolve } from 'node:path';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { cpuNow } from '../support/childCpu.ts';
import { cleanUp } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { settledDaemon } from '../support/settledDaemon.ts';

/** Appends messages to a session, so many at a time. */
async function append(messages: number, atOnce: number): Promise<void> {
	const daemon = await settledDaemon(resolve('dist/contextd.cjs'));
	const { sessionId } = await daemon.ask(sessionOpen, { model: 'gpt-4o' });
	await daemon.ask(sessionAppend, { sessionId, messages: shortMessages(0, 4) });
	const pid = await daemon.writer();
	const [started, before] = [performance.now(), cpuNow(pid)];
	for (let index = 4; index < messages; index += atOnce)
		await daemon.ask(sessionAppend, { sessionId, messages: shortMessages(index, atOnce) });
	const [cpu, ms] = [cpuNow(pid) - before, performance.now() - started];
	console.log(
		`${messages} messages, ${atOnce} at a time: CPU ${cpu.toFixed(0)} ms, in all ${ms.toFixed(0)} ms`,
	);
	await daemon.quit();
}

try {
	await append(4000, 1);
	await append(40_000, 100);
} finally {
	await cleanUp();
}
