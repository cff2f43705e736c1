import { mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import type { Journal } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';

let directory: string;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'generation-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const address = { socket: '/nowhere/socket', secret: '/nowhere/secret' };
const lock = () => join(directory, 'sessions', 's.lock');
const journal = () => join(directory, 'sessions', 's.jsonl');
const note = async (): Promise<unknown> => {
	const [name = ''] = await readdir(lock());
	return JSON.parse(await readFile(join(lock(), name), 'utf8'));
};
const store = (asked = true) =>
	fileJournalStore({
		directory,
		logger: silentLogger,
		...(asked && { address: async () => address }),
	});

async function write(journal: Journal, value: number): Promise<void> {
	await journal.append({ value }, []).durable;
}

async function values(): Promise<unknown[]> {
	const found: unknown[] = [];
	await store().scan('s', ({ value }) => void found.push((value as { value: number }).value));
	return found;
}

/** As if the holder of the lock were in another container, and had shown no sign of life for long. */
async function judgeDeadFromAfar(): Promise<void> {
	const [name = ''] = await readdir(lock());
	const parts = name.split('.');
	parts[3] = '0123456789ab';
	const other = join(lock(), parts.join('.'));
	await rename(join(lock(), name), other);
	const long = new Date(Date.now() - 300_000);
	await utimes(other, long, long);
}

describe('a holder that another took for dead', () => {
	it('finds so before its next write, and spoils nothing', async () => {
		const asleep = await store().create('s');
		await write(asleep, 1);
		await judgeDeadFromAfar();
		const awake = await store().open('s', () => undefined);
		await write(awake, 2);
		await expect(write(asleep, 3)).rejects.toMatchObject({
			kind: 'StorageFailed',
			data: { isOutdated: true },
		});
		await write(awake, 4);
		await asleep.close();
		await write(awake, 5);
		expect(await values()).toEqual([1, 2, 4, 5]);
		expect(await note()).toEqual({ generation: 2, address });
		await awake.close();
	});

	it('writes what it was just about to write into a file that nobody reads any more', async () => {
		const asleep = await store().create('s');
		await write(asleep, 1);
		const { ino } = await stat(journal());
		await judgeDeadFromAfar();
		const awake = await store().open('s', () => undefined);
		await write(awake, 2);
		const now = await stat(journal());
		expect(now.ino).not.toBe(ino);
		await awake.close();
		await asleep.close();
	});

	it('is told where it was taken over and given back again meanwhile', async () => {
		const asleep = await store().create('s');
		await write(asleep, 1);
		await judgeDeadFromAfar();
		const awake = await store().open('s', () => undefined);
		await write(awake, 2);
		await awake.close();
		await expect(write(asleep, 3)).rejects.toMatchObject({ kind: 'StorageFailed' });
		await asleep.close();
		expect(await values()).toEqual([1, 2]);
	});
});

describe('the lock of a session', () => {
	it('says where its holder can be asked', async () => {
		const journal = await store().create('s');
		expect(await note()).toEqual({ generation: 1, address });
		await expect(store().open('s', () => undefined)).rejects.toMatchObject({
			kind: 'SessionLocked',
			data: { pid: process.pid, isAsked: true },
		});
		await journal.close();
		await expect(readdir(lock())).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('of a holder that takes no calls says so in a clear word', async () => {
		const journal = await store(false).create('s');
		await expect(store().open('s', () => undefined)).rejects.toMatchObject({
			message: expect.stringContaining('takes no calls from others: it may run an older contextd'),
			data: { isAsked: false },
		});
		await journal.close();
	});
});
