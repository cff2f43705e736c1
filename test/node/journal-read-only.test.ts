import {
	chmod,
	copyFile,
	mkdtemp,
	readFile,
	rename,
	rm,
	truncate,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { JournalStore, ReadOnlyJournal, StoredRecord } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';

let directory: string;
let path: string;
let store: JournalStore;
let opened: ReadOnlyJournal[];

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	path = join(directory, 'sessions', 's.jsonl');
	store = createFileJournals({ directory, logger: silentLogger });
	opened = [];
	const journal = await store.create('s');
	await journal.append({ i: 0 }, ['"body 0"']).durable;
	await journal.close();
});

afterEach(async () => {
	for (const journal of opened) await journal.close();
	await rm(directory, { recursive: true, force: true });
});

async function readOnly(): Promise<{ journal: ReadOnlyJournal; records: StoredRecord[] }> {
	const records: StoredRecord[] = [];
	const journal = await store.openReadOnly('s', (record) => records.push(record));
	opened.push(journal);
	return { journal, records };
}

async function appendOne(i: number): Promise<void> {
	const journal = await store.open('s', () => undefined);
	await journal.append({ i }, [`"body ${i}"`]).durable;
	await journal.close();
}

describe('a journal that is only read', () => {
	it('a read-only journal returns its records and bodies while another store writes it', async () => {
		const writer = await store.open('s', () => undefined);
		await writer.append({ i: 1 }, ['"body 1"']).durable;
		const { journal, records } = await readOnly();
		expect(records.map(({ value }) => value)).toEqual([{ i: 0 }, { i: 1 }]);
		expect(await journal.read(records.flatMap(({ bodies }) => bodies))).toEqual(['"body 0"', '"body 1"']);
		expect(await journal.isOutdated()).toBe(false);
		await writer.append({ i: 2 }, []).durable;
		expect(await journal.isOutdated()).toBe(true);
		expect((await readOnly()).records).toHaveLength(3);
		await writer.close();
	});

	it.each([
		['was appended to', () => appendOne(1)],
		['was deleted', () => rm(path)],
		['was cut', () => truncate(path, 120)],
		[
			'was replaced by a copy',
			async () => {
				await copyFile(path, `${path}.copy`);
				await rename(`${path}.copy`, path);
			},
		],
		[
			'was overwritten with as many bytes',
			async () => {
				await writeFile(path, (await readFile(path, 'utf8')).replace('body 0', 'body 9'));
				await utimes(path, new Date(), new Date(Date.now() + 5000));
			},
		],
	])('a read-only journal is outdated once its file %s', async (_, change) => {
		const { journal } = await readOnly();
		expect(await journal.isOutdated()).toBe(false);
		await change();
		expect(await journal.isOutdated()).toBe(true);
	});

	it('a read-only journal reads its bodies after its file was deleted', async () => {
		const { journal, records } = await readOnly();
		await rm(path);
		expect(await journal.read(records[0]!.bodies)).toEqual(['"body 0"']);
	});

	it('a read-only journal leaves a torn or damaged file unchanged', async () => {
		await appendOne(1);
		const whole = await readFile(path);
		for (const bytes of [whole.subarray(0, -4), Buffer.from(whole).fill(0, whole.length - 40)]) {
			await writeFile(path, bytes);
			await chmod(path, 0o400);
			expect((await readOnly()).records.map(({ value }) => value)).toEqual([{ i: 0 }]);
			expect(await readFile(path)).toEqual(bytes);
			await chmod(path, 0o600);
		}
	});

	it('a missing journal cannot be read: SessionNotFound', async () => {
		await expect(store.openReadOnly('none', () => undefined)).rejects.toMatchObject({
			kind: 'SessionNotFound',
		});
	});
});
