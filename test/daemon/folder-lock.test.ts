import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
	FolderHeldError,
	type FolderLock,
	findHolder,
	takeFolderLock,
} from '../../server/node/folderLock.ts';
import { formatIdentity, type ProcessIdentity, readOwnIdentity } from '../../server/node/processIdentity.ts';
import { isSoak } from '../support/soak.ts';

/** How often several processes take a lock at once. */
const rounds = isSoak ? 1_000 : 20;
const unusedPid = 0x7fff_fff0;

let folder: string;
let locks: FolderLock[] = [];

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-lock-'));
	locks = [];
});

afterEach(async () => {
	for (const lock of locks) await lock.release();
	await rm(folder, { recursive: true, force: true });
});

async function take(): Promise<FolderLock> {
	const lock = await takeFolderLock(folder, 'daemon');
	locks.push(lock);
	return lock;
}

/** Writes the lock of another process, which last touched it `silentSeconds` ago. */
async function holdAs(other: Partial<ProcessIdentity>, silentSeconds = 0): Promise<void> {
	const identity = { ...(await readOwnIdentity()), ...other };
	mkdirSync(join(folder, 'daemon.lock'), { recursive: true });
	const file = join(folder, 'daemon.lock', formatIdentity(identity));
	writeFileSync(file, 'other-host\nalone\n');
	const time = Date.now() / 1000 - silentSeconds;
	utimesSync(file, time, time);
}

const filesInLock = (): string[] => readdirSync(join(folder, 'daemon.lock'));

describe('the lock of a state folder', () => {
	it('a folder lock is refused while its process exists, even if the lock was not refreshed for an hour', async () => {
		await holdAs({}, 3600);
		await expect(takeFolderLock(folder, 'daemon')).rejects.toThrow(
			new FolderHeldError(folder, {
				pid: process.pid,
				host: 'other-host',
				role: 'alone',
				isElsewhere: false,
			}),
		);
		expect(await findHolder(folder)).toMatchObject({ pid: process.pid, isElsewhere: false });
	});

	it('takeFolderLock does not create the state folder', async () => {
		await rm(folder, { recursive: true });
		await expect(takeFolderLock(folder, 'daemon')).rejects.toThrow('ENOENT');
		expect(existsSync(folder)).toBe(false);
	});

	it.each<[string, Partial<ProcessIdentity>]>([
		['a process that has ended', { pid: unusedPid }],
		['a process whose id was given to another', { startTicks: '1' }],
		['a process of an earlier boot, although its id and start time are in use', { bootId: 'abcdef012345' }],
	])('a folder lock is taken over from %s', async (_, other) => {
		await holdAs(other);
		expect(await findHolder(folder)).toBeUndefined();
		const lock = await take();
		expect(await lock.check()).toBe(true);
		expect(filesInLock()).toHaveLength(1);
	});

	it('a folder lock says whether its process serves other clients', async () => {
		await holdAs({ pid: unusedPid });
		await take();
		expect(await findHolder(folder)).toMatchObject({ role: 'daemon' });
	});

	it('a folder lock of another machine is respected until it has been silent for 30 s', async () => {
		const elsewhere = { scope: 'abcdef012345', pid: unusedPid };
		await holdAs(elsewhere, 25);
		await expect(takeFolderLock(folder, 'daemon')).rejects.toThrow(
			`is used by process ${unusedPid} on other-host (another machine or container)`,
		);
		expect(await findHolder(folder)).toEqual({
			pid: unusedPid,
			host: 'other-host',
			role: 'alone',
			isElsewhere: true,
		});
		rmSync(join(folder, 'daemon.lock'), { recursive: true });
		await holdAs(elsewhere, 35);
		expect(await findHolder(folder)).toBeUndefined();
		await take();
	});

	it('a folder lock that eight processes take at once goes to exactly one', async () => {
		for (let round = 0; round < rounds; round++) {
			if (round % 3 > 0)
				await holdAs({ pid: unusedPid, ...(round % 3 > 1 && { scope: 'abcdef012345' }) }, 60);
			const taken = await Promise.allSettled(
				Array.from({ length: 8 }, () => takeFolderLock(folder, 'daemon')),
			);
			const winners = taken.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
			const failures = taken.filter((one) => one.status === 'rejected').map(({ reason }) => reason);
			expect(winners).toHaveLength(1);
			for (const failure of failures) expect(failure).toBeInstanceOf(FolderHeldError);
			expect(await winners[0]?.check()).toBe(true);
			await winners[0]?.release();
			expect(readdirSync(folder)).toEqual([]);
		}
	});

	it('a folder lock is lost once another process has taken it', async () => {
		const lock = await take();
		rmSync(join(folder, 'daemon.lock'), { recursive: true });
		await holdAs({ scope: 'abcdef012345' });
		expect(await lock.check()).toBe(false);
	});

	it('a folder lock is written again when its removed folder is back', async () => {
		const lock = await take();
		rmSync(folder, { recursive: true });
		expect(await lock.check()).toBe(true);
		expect(existsSync(folder)).toBe(false);
		mkdirSync(folder);
		expect(await lock.check()).toBe(true);
		await expect(takeFolderLock(folder, 'daemon')).rejects.toThrow(FolderHeldError);
	});

	it.each(['file', 'folder'])('a folder lock is taken although it holds a stray %s', async (kind) => {
		const stray = join(folder, 'daemon.lock', '.DS_Store');
		mkdirSync(kind === 'file' ? join(folder, 'daemon.lock') : stray, { recursive: true });
		if (kind === 'file') writeFileSync(stray, '');
		await take();
		expect(filesInLock()).toHaveLength(1);
	});
});
