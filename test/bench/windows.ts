/**
 * The cost of five editor windows that follow one transcript of 60 MB and have a session each: proportional memory of all
 * processes, CPU time while the transcript grows by ten lines a second, and the time until another client sees an appended
 * message. `npm run bench -- windows`, after `npm run build`; `--against DIR` compares another
 * built checkout. Linux only.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { cpuNow } from '../support/childCpu.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { processesOf } from '../support/processes.ts';

const file = resolve('dist/contextd.cjs');
const windows = 5;
const transcriptBytes = 60_000_000;
/** Milliseconds that V8 needs to release the memory of the import. */
const settleMs = 20_000;
const growthSeconds = 10;
const linesPerSecond = 10;
const appends = 200;
/** Maximum milliseconds until another client has seen an appended message, at the 95th percentile. */
const maxSeenMs = 20;

function proportionalMib(pids: readonly number[]): number {
	const kib = pids.map((pid) => {
		const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
		return Number(/^Pss:\s*(\d+)/m.exec(text)?.[1]);
	});
	return kib.reduce((sum, one) => sum + one, 0) / 1024;
}

function cpuOfAll(pids: readonly number[]): number {
	return pids.reduce((sum, pid) => sum + cpuNow(pid), 0);
}

function line(index: number, sessionId: string): string {
	const message = { role: 'user', content: `Line ${index} of what is added.` };
	const timestamp = new Date().toISOString();
	const record = { type: 'user', uuid: `added-${index}`, sessionId, cwd: '/w', timestamp, message };
	return `${JSON.stringify(record)}\n`;
}

/** Returns the milliseconds until another client is notified of an append: the 95th percentile of 100 appends. */
async function seenAfter(writer: Daemon, reader: Daemon): Promise<number> {
	const { sessionId } = await writer.ask(sessionOpen, { model: 'gpt-4o' });
	const all: number[] = [];
	for (let index = 0; index < appends; index++) {
		await writer.ask(sessionAppend, { sessionId, messages: shortMessages(index, 1) });
		const began = performance.now();
		while ((await reader.ask(contextStats, { sessionId }))?.messageCount !== index + 1);
		all.push(performance.now() - began);
	}
	return all.sort((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? 0;
}

/** Returns the mean milliseconds of repeated requests. */
async function mean(count: number, ask: (index: number) => Promise<unknown>): Promise<number> {
	const began = performance.now();
	for (let index = 0; index < count; index++) await ask(index);
	return (performance.now() - began) / count;
}

try {
	const home = await freshHome();
	const path = join(home, 'long.jsonl');
	await writeLongTranscript(path, transcriptBytes);
	const clients = await Promise.all(Array.from({ length: windows }, () => startDaemon({ file, home })));
	for (const [index, client] of clients.entries()) {
		await client.ask(contextImport, { path, follow: true });
		await client.ask(sessionOpen, { sessionId: `own-${index}`, model: 'gpt-4o' });
		await client.ask(sessionAppend, { sessionId: `own-${index}`, messages: shortMessages(0, 100) });
		await client.ask(contextStats, { sessionId: `own-${index}` });
	}
	await setTimeout(settleMs);
	const pids = processesOf(home).map(({ pid }) => pid);
	console.log(`${windows} windows: proportional memory ${proportionalMib(pids).toFixed(0)} MiB`);
	const before = cpuOfAll(pids);
	for (let index = 0; index < growthSeconds * linesPerSecond; index++) {
		appendFileSync(path, line(index, 'long'));
		await setTimeout(1000 / linesPerSecond);
	}
	await setTimeout(1_000);
	console.log(`ten lines a second for ${growthSeconds} s: CPU ${(cpuOfAll(pids) - before).toFixed(0)} ms`);
	const [first, second] = clients as [Daemon, Daemon];
	const seen = await seenAfter(first, second);
	const judgement = `${seen <= maxSeenMs ? 'within' : 'BEYOND'} ${maxSeenMs}`;
	if (seen > maxSeenMs) process.exitCode = 1;
	console.log(`an append, seen by another client: p95 ${seen.toFixed(2)} ms, ${judgement}`);
	const sessionId = 'own-0';
	const append = await mean(1000, (index) =>
		first.ask(sessionAppend, { sessionId, messages: shortMessages(1000 + index, 1) }),
	);
	const stats = await mean(1000, () => first.ask(contextStats, { sessionId }));
	console.log(`one request: append ${append.toFixed(3)} ms, stats ${stats.toFixed(3)} ms`);
} finally {
	await cleanUp();
}
