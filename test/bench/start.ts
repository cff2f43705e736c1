/**
 * What an editor waits for when it starts the daemon: from the start of the process to the answer to `initialize`, and
 * to the first figures of a session, with providers configured and without. `npm run bench -- start`, after
 * `npm run build`; with `--against DIR` beside another checkout, which is built too. Linux alone.
 */

import { resolve } from 'node:path';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { cpuNow } from '../support/childCpu.ts';
import { cleanUp, startDaemon } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';

const starts = 25;

/** Providers that nobody asks here: only what they cost by being configured is measured. */
const chain = [
	{ provider: 'anthropic', model: 'claude-haiku-4-5', apiKey: 'none' },
	{ provider: 'openai', model: 'gpt-5-mini', apiKey: 'none' },
	{ provider: 'extractive' },
];

interface Start {
	answered: number;
	figures: number;
	cpu: number;
}

async function startOnce(initializationOptions: object): Promise<Start> {
	const began = performance.now();
	const daemon = await startDaemon({
		file: resolve('dist/contextd.cjs'),
		initialize: { initializationOptions },
	});
	const answered = performance.now() - began;
	const { sessionId } = await daemon.ask(sessionOpen, { model: 'gpt-4o' });
	await daemon.ask(sessionAppend, { sessionId, messages: shortMessages(0, 4) });
	await daemon.ask(contextStats, { sessionId });
	const figures = performance.now() - began;
	const cpu = cpuNow(daemon.process.pid ?? 0);
	await daemon.quit();
	return { answered, figures, cpu };
}

function least(of: readonly number[]): string {
	return Math.min(...of).toFixed(1);
}

async function measure(title: string, options: object): Promise<void> {
	const all: Start[] = [];
	for (let start = 0; start < starts; start++) all.push(await startOnce(options));
	const cpu = all.reduce((sum, one) => sum + one.cpu, 0) / starts;
	const first = least(all.map(({ answered }) => answered));
	const figures = least(all.map((one) => one.figures));
	console.log(`${title}: first answer ${first} ms, first figures ${figures} ms, CPU ${cpu.toFixed(1)} ms`);
}

try {
	await measure('nothing configured', {});
	await measure('a chain of providers', { summarization: { chain } });
} finally {
	await cleanUp();
}
