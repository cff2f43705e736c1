/** Runs installations of a state folder one at a time, across processes. */

import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorCode, ifExists } from '../../../core/failure.ts';
import { createWorkFailure } from '../../console/failure.ts';

/** Milliseconds to wait for another installation. */
const timeoutMs = 120_000;
const pollMs = 100;

/**
 * Runs `task` while no other process runs an installation in the same state folder. Throws with exit code 1 if
 * another installation does not finish in time.
 */
export async function runOneAtATime<T>(stateFolder: string, task: () => Promise<T>): Promise<T> {
	const folder = join(stateFolder, 'agents');
	const lock = join(folder, 'install.lock');
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const until = performance.now() + timeoutMs;
	while (!(await tryTakeLock(lock))) {
		if (performance.now() > until) throw createWorkFailure(`another installation is running (see ${lock})`);
		await setTimeout(pollMs);
	}
	try {
		return await task();
	} finally {
		await rm(lock, { force: true });
	}
}

/** Takes the lock and returns true, or returns false if a running process has the lock. */
async function tryTakeLock(lock: string): Promise<boolean> {
	// The lock contains its process id from the start, so that the lock of a killed process can be recognized.
	const draft = `${lock}-${randomUUID()}`;
	try {
		await writeFile(draft, `${process.pid}\n`, { mode: 0o600 });
		await link(draft, lock);
		return true;
	} catch (error) {
		if (errorCode(error) !== 'EEXIST') throw error;
	} finally {
		await rm(draft, { force: true });
	}
	const holder = await ifExists(readFile(lock, 'utf8'));
	if (holder !== undefined && !isAlive(Number(holder))) await rm(lock, { force: true });
	return false;
}

function isAlive(pid: number): boolean {
	// Process id 0 would address the caller's own process group.
	if (!Number.isInteger(pid) || pid < 1) return false;
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return errorCode(error) === 'EPERM';
	}
}
