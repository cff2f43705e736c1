/**
 * The cost of appends in a daemon that has run for a while: CPU time and elapsed time, one by one and in hundreds.
 * `npm run bench -- append`, after `npm run build`. Linux only.
 */

import { resolve } from 'node:path';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { cpuNow } from '../support/childCpu.ts';
import { cleanUp } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { settledDaemon } from '../support/settledDaemon.ts';

/** Appends messages to a session, `atOnce` per request. */
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
