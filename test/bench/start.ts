/**
 * The time that an editor waits for contextd: from the start of the process to the answer to `initialize`, with and without
 * a running daemon, next to the start of Node itself. `npm run bench -- start`, after
 * `npm run build`; `--against DIR` compares another built checkout. Linux only.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { cleanUp, type Daemon, daemonStarted, freshHome, startDaemon } from '../support/daemon.ts';

const starts = 25;
const file = resolve('dist/contextd.cjs');
/** Maximum wait of a client while a daemon runs, as a multiple of the start of Node. */
const maxTimesNode = 1.8;
/** Maximum MiB of private memory of a client's idle process. */
const maxPrivateMib = 12;

/** Returns the milliseconds to the first answer. */
async function startOnce(home: string, end: (client: Daemon) => Promise<unknown>): Promise<number> {
	const began = performance.now();
	const client = await startDaemon({ file, home, initialize: null });
	await client.initialize();
	const answered = performance.now() - began;
	await daemonStarted(home);
	await end(client);
	return answered;
}

function startNode(): number {
	const began = performance.now();
	spawnSync(process.execPath, ['-e', '0']);
	return performance.now() - began;
}

/** Returns the MiB that only this process uses. */
function privateMemory(pid: number): number {
	const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
	const kib = [...text.matchAll(/^Private_(?:Clean|Dirty):\s*(\d+)/gm)].map(([, value]) => Number(value));
	return kib.reduce((sum, one) => sum + one, 0) / 1024;
}

function judged(name: string, value: number, limit: number, unit: string): string {
	if (value > limit) process.exitCode = 1;
	return `${name} ${value.toFixed(1)} ${unit}, ${value <= limit ? 'within' : 'BEYOND'} ${limit.toFixed(1)}`;
}

try {
	const home = await freshHome();
	const client = await startDaemon({ file, home });
	const [node, running, none]: [number[], number[], number[]] = [[], [], []];
	for (let start = 0; start < starts; start++) {
		node.push(startNode());
		running.push(await startOnce(home, (one) => one.quit()));
		none.push(await startOnce(await freshHome(), (one) => one.kill()));
	}
	const least = Math.min(...node);
	console.log(`node -e 0: start ${least.toFixed(1)} ms`);
	console.log(`a daemon runs: ${judged('first answer', Math.min(...running), least * maxTimesNode, 'ms')}`);
	console.log(`no daemon runs: first answer ${Math.min(...none).toFixed(1)} ms`);
	await setTimeout(2_000);
	const used = privateMemory(client.process.pid ?? 0);
	console.log(`an idle client: ${judged('private memory', used, maxPrivateMib, 'MiB')}`);
} finally {
	await cleanUp();
}
