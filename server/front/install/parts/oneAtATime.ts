/** Runs installations of a state folder one at a time, across processes. */

import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorCode } from '../../../core/failure.ts';
import { workFailed } from '../../console/failure.ts';

/** Milliseconds to wait for another installation. */
const timeoutMs = 120_000;
const pause = 100;

/**
 * Runs work while no other process runs one in the same state folder.
 * Throws with exit code 1 if another one does not finish in time.
 */
export async function runOneAtATime<Result>(
	stateFolder: string,
	work: () => Promise<Result>,
): Promise<Result> {
	const folder = join(stateFolder, 'agents');
	const lock = join(folder, 'install.lock');
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const until = performance.now() + timeoutMs;
	while (!(await isTaken(lock))) {
		if (performance.now() > until) throw workFailed(`another installation is running (see ${lock})`);
		await setTimeout(pause);
	}
	try {
		return await work();
	} finally {
		await rm(lock, { force: true });
	}
}

/** Takes the lock, unless a running process has it. */
async function isTaken(lock: string): Promise<boolean> {
	const created = await open(lock, 'wx', 0o600).catch((error) => {
		if (errorCode(error) === 'EEXIST') return undefined;
		throw error;
	});
	if (created !== undefined) {
		try {
			await created.writeFile(`${process.pid}\n`);
			return true;
		} catch (error) {
			// An empty lock, left by a full disk, would belong to nobody and never be removed.
			await rm(lock, { force: true });
			throw error;
		} finally {
			await created.close();
		}
	}
	const holder = await readFile(lock, 'utf8').catch(() => '');
	// A process that has just created the lock may not have written its id yet.
	if (holder !== '' && !isAlive(Number(holder))) await rm(lock, { force: true });
	return false;
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return errorCode(error) === 'EPERM';
	}
}
