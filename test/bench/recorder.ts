/**
 * The cost of the recorder while nothing happens: `npm run bench -- recorder`, after `npm run build`. Measures the CPU
 * time and memory of a daemon that records a home with 2,000 old and 50 live transcripts, and of a daemon that does not.
 * Linux only. Fails over budget.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuNow } from '../support/childCpu.ts';
import { fillHome } from '../support/usedHome.ts';

const transcripts = 2_050;
const live = 50;
const idleMs = 30_000;
/** Maximum share of one processor, and maximum MiB above a daemon that does not record. */
const budgets = { cpu: 0.01, memory: 60 };

const home = await mkdtemp(join(tmpdir(), 'contextd-bench-'));
const stateFolder = join(home, 'state');
const env = { PATH: process.env.PATH, HOME: home, CONTEXTD_HOME: stateFolder };
const command = resolve('dist/contextd.cjs');

function contextd(...args: string[]) {
	const { stdout, status } = spawnSync(process.execPath, [command, ...args], { env, encoding: 'utf8' });
	return { stdout, status };
}

function daemonPid(): number {
	return JSON.parse(contextd('daemon', 'status', '--json').stdout).pid;
}

function residentMib(pid: number): number {
	const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kilobytes) / 1024;
}

/** Returns the share of a processor that a process uses, and its memory at the end. */
async function measure(pid: number) {
	const [cpu, at] = [cpuNow(pid), performance.now()];
	await wait(idleMs);
	return { cpu: (cpuNow(pid) - cpu) / (performance.now() - at), memory: residentMib(pid) };
}

async function touchLive(): Promise<void> {
	const names = await readdir(home, { recursive: true });
	const files = names.filter((name) => name.endsWith('.jsonl')).slice(0, live);
	const now = new Date();
	for (const name of files) await utimes(join(home, name), now, now);
}

try {
	await fillHome(home, join(home, 'work'), transcripts);
	await touchLive();
	contextd('undo', '--session', 'none');
	const pid = daemonPid();
	await wait(5_000);
	const idle = await measure(pid);
	const start = performance.now();
	contextd('record', 'on');
	let recordings = 0;
	for (let before = -1; recordings === 0 || recordings !== before; ) {
		before = recordings;
		await wait(5_000);
		recordings = JSON.parse(contextd('record', 'status', '--json').stdout).recordings;
	}
	const seconds = Math.round((performance.now() - start) / 1000);
	await touchLive();
	await wait(5_000);
	const recording = await measure(pid);
	const size = (await stat(join(stateFolder, 'recorder', 'archive.sqlite'))).size;
	const extra = { cpu: recording.cpu - idle.cpu, memory: recording.memory - idle.memory };
	console.log(`recorded ${recordings} transcripts in ${seconds} s, ${(size / 2 ** 20).toFixed(1)} MiB`);
	console.log(
		`idle daemon: ${(idle.cpu * 100).toFixed(2)}% of a processor, memory ${idle.memory.toFixed(1)} MiB`,
	);
	console.log(
		`recorder: cpu ${(extra.cpu * 100).toFixed(2)}% more, memory ${extra.memory.toFixed(1)} MiB more`,
	);
	if (extra.cpu > budgets.cpu || extra.memory > budgets.memory) {
		console.log(`BEYOND: at most ${budgets.cpu * 100}% and ${budgets.memory} MiB`);
		process.exitCode = 1;
	}
} finally {
	contextd('daemon', 'stop');
	await rm(home, { recursive: true, force: true });
}
