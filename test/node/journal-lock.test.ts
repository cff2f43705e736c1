import { mkdir, mkdtemp, readdir, rename, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
	type Holder,
	isGone,
	nameOfHolder,
	parseHolder,
	thisHolder,
} from '../../server/node/journal/holder.ts';
import { takeLock } from '../../server/node/journal/lock.ts';
import { eventually } from '../support/eventually.ts';

let folder: string;
let path: string;
const nothing = (): void => undefined;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'lock-'));
	path = join(folder, 's.lock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function heldBy(holder: Holder, ageMilliseconds = 0): Promise<void> {
	const file = join(path, nameOfHolder(holder));
	await mkdir(path, { recursive: true });
	await writeFile(file, '');
	const then = new Date(Date.now() - ageMilliseconds);
	await utimes(file, then, then);
}

describe('the lock of a session', () => {
	it('is refused while this process holds it, and free after it was given back', async () => {
		const lock = await takeLock(path, 's', nothing);
		await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({
			kind: 'SessionLocked',
			message: expect.stringContaining('this process'),
		});
		await lock.release();
		expect(await readdir(folder)).toEqual([]);
		await (await takeLock(path, 's', nothing)).release();
	});

	it('goes to exactly one of many takers, whether it is free or its holder is dead', async () => {
		const self = await thisHolder();
		for (const start of [undefined, '1']) {
			if (start !== undefined) await heldBy({ ...self, start });
			const takers = await Promise.allSettled(Array.from({ length: 40 }, () => takeLock(path, 's', nothing)));
			const won = takers.filter((taker) => taker.status === 'fulfilled');
			expect(won).toHaveLength(1);
			expect(await readdir(folder)).toEqual(['s.lock']);
			await won[0]!.value.release();
		}
	});

	it('is taken again by a process that could not give it back', async () => {
		const lock = await takeLock(path, 's', nothing);
		const [name = ''] = await readdir(path);
		await rename(join(path, name), join(folder, name));
		// Nobody, root included, removes a folder as a file.
		await mkdir(join(path, name));
		await expect(lock.release()).rejects.toMatchObject({ kind: 'StorageFailed' });
		await rmdir(join(path, name));
		await rename(join(folder, name), join(path, name));
		const again = await takeLock(path, 's', nothing);
		await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({ kind: 'SessionLocked' });
		await again.release();
		expect(await readdir(folder)).toEqual([]);
	});

	it('is taken over an empty folder that a dying process left', async () => {
		await mkdir(path);
		await (await takeLock(path, 's', nothing)).release();
		expect(await readdir(folder)).toEqual([]);
	});

	it('is taken where nobody holds it, and what strayed there is kept beside it', async () => {
		const self = await thisHolder();
		await mkdir(path);
		for (const name of ['.DS_Store', `${nameOfHolder(self)} (conflicted copy)`]) {
			await writeFile(join(path, name), name);
		}
		for (const pid of [0, 2 ** 31, 9_999_999_999]) await heldBy({ ...self, pid });
		const lock = await takeLock(path, 's', nothing);
		await lock.release();
		const left = await readdir(folder);
		expect(left).toHaveLength(5);
		for (const name of left) expect(name).toMatch(/^s\.lock-[0-9a-f]{16}$/);
	});

	it('goes to exactly one of many takers where something strayed there', async () => {
		await mkdir(path);
		for (let i = 0; i < 5; i++) await writeFile(join(path, `stray-${i}`), '');
		const takers = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(path, 's', nothing)));
		expect(takers.filter((taker) => taker.status === 'fulfilled')).toHaveLength(1);
	});

	it('is taken where a file or a link to nowhere stands in its place', async () => {
		await writeFile(path, 'an old kind of lock');
		await (await takeLock(path, 's', nothing)).release();
		await symlink(join(folder, 'nowhere'), path);
		await (await takeLock(path, 's', nothing)).release();
		expect(await readdir(folder)).toEqual([]);
	});

	it('of another machine whose clock is ahead is taken once no sign of life came for long', async () => {
		const elsewhere = { ...(await thisHolder()), scope: '0123456789ab', pid: 1 };
		vi.useFakeTimers({ toFake: ['performance'] });
		try {
			await heldBy(elsewhere, -1_000_000);
			await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({ kind: 'SessionLocked' });
			vi.advanceTimersByTime(119_000);
			await heldBy(elsewhere, -1_100_000);
			await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({ kind: 'SessionLocked' });
			vi.advanceTimersByTime(119_000);
			await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({ kind: 'SessionLocked' });
			vi.advanceTimersByTime(2_000);
			await (await takeLock(path, 's', nothing)).release();
		} finally {
			vi.useRealTimers();
		}
	});

	it('of another machine is respected until its signs of life have stopped', async () => {
		const elsewhere = { ...(await thisHolder()), scope: '0123456789ab', pid: 1 };
		await heldBy(elsewhere, 30_000);
		await expect(takeLock(path, 's', nothing)).rejects.toMatchObject({
			kind: 'SessionLocked',
			message: expect.stringContaining('another machine'),
		});
		await heldBy(elsewhere, 300_000);
		await (await takeLock(path, 's', nothing)).release();
	});

	it('that another took meanwhile is known to be lost, and not given back in its stead', async () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
		try {
			const lost = vi.fn();
			const lock = await takeLock(path, 's', lost);
			const [name] = await readdir(path);
			const other = nameOfHolder({ ...(await thisHolder()), token: 'f'.repeat(16) });
			vi.advanceTimersByTime(15_000);
			await new Promise((resolve) => setTimeout(resolve, 20));
			expect(lost).not.toHaveBeenCalled();
			await rename(join(path, name!), join(path, other));
			vi.advanceTimersByTime(15_000);
			await eventually(() => expect(lost).toHaveBeenCalledOnce());
			await lock.release();
			expect(await readdir(path)).toEqual([other]);
		} finally {
			vi.useRealTimers();
		}
	});
});

describe('the holder of a lock', () => {
	it('is read back from its name, and from no other name', async () => {
		const self = await thisHolder();
		expect(parseHolder(nameOfHolder(self))).toEqual(self);
		expect(parseHolder('.DS_Store')).toBeUndefined();
		expect(parseHolder('1.2.3')).toBeUndefined();
	});

	it('counts as gone when its number belongs to no process or, by its start, to another', async () => {
		const self = await thisHolder();
		expect(await isGone(self, self, 0)).toBe(false);
		expect(await isGone({ ...self, pid: 2 ** 30 }, self, 0)).toBe(true);
		if (process.platform !== 'linux') return;
		expect(await isGone({ ...self, start: '1' }, self, 0)).toBe(true);
		expect(await isGone({ ...self, start: '0' }, self, 0)).toBe(false);
		expect(await isGone({ ...self, boot: 'ffffffffffff' }, self, 0)).toBe(true);
	});
});
