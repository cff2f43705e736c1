/**
 * Milliseconds that an agent's request waits while its plugin asks over the channel: to send new messages and get stats in a
 * session of 1 MB, and to compact that session and get the view. `npm run bench -- channel`, after `npm run build`. Fails over budget.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { channelTo } from '../support/channel.ts';
import { cpuNow } from '../support/childCpu.ts';
import { logLines, prose } from '../support/messages.ts';

const requests = 60;
const megabyte = 1 << 20;
/** Maximum milliseconds that a request may wait. */
const budget = 60;
const inTime = { timeoutMs: 30_000 };

const state = mkdtempSync(join(tmpdir(), 'contextd-bench-'));
const settings = join(state, 'settings.json');
writeFileSync(settings, JSON.stringify({ storage: { directory: state } }), { mode: 0o600 });

/** Returns the messages that one request of an agent adds: an answer with a call, and its result. */
function step(index: number, lines: number): unknown[] {
	const call = { id: `toolu_${index}`, name: 'Bash', args: { command: `npm test -- part${index}` } };
	return [
		{ id: `a${index}`, role: 'assistant', content: prose(40, index), toolCalls: [call] },
		{ id: `r${index}`, role: 'tool', toolCallId: call.id, toolName: 'Bash', content: logLines(lines, index) },
	];
}

function printTimes(name: string, times: readonly number[]): void {
	const sorted = [...times].sort((a, b) => a - b);
	const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
	console.log(`${name}: median ${at(0.5)} ms, least ${at(0)}, nine of ten within ${at(0.9)}`);
}

const child = spawn(
	process.execPath,
	[
		resolve('dist/contextd.cjs'),
		...['--http-socket', join(state, 's', 'x.sock'), '--clientProcessId', `${process.pid}`],
		...['--settings-from', settings],
	],
	{ stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
	const [line] = (await once(child.stdout, 'data')) as [Buffer];
	const { request } = channelTo(JSON.parse(line.toString('utf8')), 'claude:bench');
	await request('session/open', { model: 'claude-opus-5-5', contextWindow: 1_000_000 }, inTime);
	const messages: unknown[] = [{ id: 'u', role: 'user', content: 'Find out why the tests fail.' }];
	for (let index = 0; JSON.stringify(messages).length < megabyte; index++) messages.push(...step(index, 60));
	const began = performance.now();
	await request('session/append', { messages }, inTime);
	console.log(
		`the first megabyte, ${messages.length} messages: ${(performance.now() - began).toFixed(0)} ms`,
	);
	const times: number[] = [];
	const cpu = cpuNow(child.pid ?? 0);
	for (let index = 0; index < requests; index++) {
		const from = performance.now();
		await request('session/append', { messages: step(10_000 + index, 30) }, inTime);
		await request('context/stats', {}, inTime);
		times.push(performance.now() - from);
	}
	const daemon = (cpuNow(child.pid ?? 0) - cpu) / requests;
	printTimes(`a request that needs no decision, over the channel`, times);
	console.log(`processor of the daemon each: ${daemon.toFixed(1)} ms`);
	const decided = performance.now();
	await request('context/compact', { includeMessages: false }, inTime);
	await request('context/prepare', { held: 0 }, inTime);
	const stats = (await request('context/stats', {}, inTime)) as ContextStats;
	const { tokensBefore = 0, tokensAfter = 0 } = stats.lastCompaction ?? {};
	const took = (performance.now() - decided).toFixed(0);
	console.log(`a compaction from ${tokensBefore} to ${tokensAfter} tokens and its view: ${took} ms`);
	const median = [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;
	if (median > budget) process.exitCode = 1;
	console.log(median <= budget ? `within ${budget} ms` : `BEYOND ${budget} ms`);
} finally {
	child.kill('SIGKILL');
	rmSync(state, { recursive: true, force: true });
}
