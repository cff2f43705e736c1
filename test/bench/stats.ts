/**
 * The cost of `context/stats` in a daemon that has run for a while, and of `contextd stats FILE` on a short and a long
 * transcript: CPU time with children, and peak memory. `npm run bench -- stats`, after `npm run build`.
 * Linux only. Fails over budget. `-- stats context/stats` measures only the requests.
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { cpuNow, cpuOf } from '../support/childCpu.ts';
import { cleanUp } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { writeMixedTranscript, writeUncompactedTranscript } from '../support/mixedTranscript.ts';
import { settledDaemon } from '../support/settledDaemon.ts';

const short = { megabytes: 2, runs: 15, budget: { ms: 250, mib: 400 } };
const long = { megabytes: 300, runs: 2, budget: { ms: 5000, mib: 400 } };
const cases = [
	{ kind: 'long results', write: writeLongTranscript, ...short },
	{ kind: 'mixed lines', write: writeMixedTranscript, ...short },
	{ kind: 'long results', write: writeLongTranscript, ...long },
	{ kind: 'mixed lines', write: writeMixedTranscript, ...long },
	{ kind: 'mixed lines, never compacted', write: writeUncompactedTranscript, ...long },
];
const command = resolve('dist/contextd.cjs');
const folder = await mkdtemp(join(tmpdir(), 'contextd-bench-'));
const env = { PATH: process.env.PATH, HOME: folder };

/** Returns the peak MiB of memory of the command. */
async function memoryOf(args: readonly string[]): Promise<number> {
	const hook = join(folder, 'hook.cjs');
	const formatFigure = join(folder, 'memory');
	const write = `require('node:fs').writeFileSync(${JSON.stringify(formatFigure)}, String(process.resourceUsage().maxRSS))`;
	await writeFile(hook, `process.on('exit', () => ${write});`);
	spawnSync(process.execPath, ['-r', hook, command, ...args], { env });
	return Number(await readFile(formatFigure, 'utf8')) / 1024;
}

function told(name: string, value: number, budget: number, unit: string): string {
	if (value > budget) process.exitCode = 1;
	return `${name} ${value.toFixed(0)} ${unit}, ${value <= budget ? 'within' : 'BEYOND'} ${budget}`;
}

/** Repeatedly asks a daemon for the figures of a session with `messages` messages. */
async function askForFigures(messages: number, requests: number): Promise<void> {
	const daemon = await settledDaemon(command);
	const { sessionId } = await daemon.ask(sessionOpen, { model: 'gpt-4o' });
	await daemon.ask(sessionAppend, { sessionId, messages: shortMessages(0, messages) });
	await daemon.ask(contextStats, { sessionId });
	const before = cpuNow(await daemon.writer());
	const request = { systemPrompt: 'You are an agent.' };
	for (let index = 0; index < requests; index++) await daemon.ask(contextStats, { sessionId, request });
	const cpu = cpuNow(await daemon.writer()) - before;
	console.log(`context/stats of ${messages} messages, ${requests} times: CPU ${cpu.toFixed(0)} ms`);
	await daemon.quit();
}

try {
	await askForFigures(100, 5000);
	await askForFigures(20_000, 5000);
	if (process.argv[2] === contextStats.method) cases.length = 0;
	const [empty = 0] = cpuOf([{ file: process.execPath, args: ['-e', '0'], env }], 15);
	console.log(`node -e 0: CPU ${empty.toFixed(0)} ms`);
	for (const { kind, write, megabytes, runs, budget } of cases) {
		const path = join(folder, `${megabytes}.jsonl`);
		await write(path, megabytes * 1e6);
		const [ms = 0] = cpuOf([{ file: process.execPath, args: [command, 'stats', path], env }], runs);
		const mib = await memoryOf(['stats', path]);
		console.log(
			`contextd stats, ${megabytes} MB of ${kind}: ${told('CPU', ms, budget.ms, 'ms')}; ${told('memory', mib, budget.mib, 'MiB')}`,
		);
	}
} finally {
	await cleanUp();
	await rm(folder, { recursive: true, force: true });
}
