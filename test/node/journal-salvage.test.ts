import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { Journal, JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { listeningLogger } from '../support/logger.ts';

const count = 6;
const text = (i: number) => `"body ${i} ${'words '.repeat(20)}ü"`;

let directory: string;
let sessions: string;
let path: string;
let store: JournalStore;
let logger: ReturnType<typeof listeningLogger>;
/** Byte offsets of the records, and of the end of the file. */
let offsets: number[];
let whole: Buffer;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	sessions = join(directory, 'sessions');
	path = join(sessions, 's.jsonl');
	logger = listeningLogger();
	store = createFileJournals({ directory, logger });
	const journal = await store.create('s');
	offsets = [journal.size];
	for (let i = 0; i < count; i++) {
		await journal.append({ i }, [text(i), `"second ${i}"`]).durable;
		offsets.push(journal.size);
	}
	await journal.close();
	whole = await readFile(path);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const position = (record: number, plus = 0) => (offsets[record] ?? 0) + plus;

async function flip(place: number): Promise<void> {
	const bytes = await readFile(path);
	bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
	await writeFile(path, bytes);
}

interface Found {
	numbers: unknown[];
	bodies: (string | undefined)[];
	salvaged: Journal['salvaged'];
}

async function opened(): Promise<Found> {
	const records: StoredRecord[] = [];
	const journal = await store.open('s', (record) => records.push(record));
	const bodies = await journal.read(records.flatMap((record) => record.bodies));
	await journal.close();
	const numbers = records.map(({ value }) => (value as { i: number }).i);
	return { numbers, bodies, salvaged: journal.salvaged };
}

const upTo = (end: number) => [...Array(end).keys()];
const bodiesOf = (numbers: readonly number[]) => numbers.flatMap((i) => [text(i), `"second ${i}"`]);

describe('a journal with a damaged record', () => {
	it('a journal with damaged records is sound after it was opened, and takes appends', async () => {
		await flip(position(2, 20));
		await flip(position(4, 20));
		expect((await opened()).numbers).toEqual([0, 1]);
		const journal = await store.open('s', () => undefined);
		expect(journal.salvaged).toBeUndefined();
		await journal.append({ i: 99 }, ['"new"']).durable;
		await journal.close();
		expect((await opened()).numbers).toEqual([0, 1, 99]);
		expect((await readdir(sessions)).sort()).toEqual(['s.jsonl', 's.jsonl.damaged-1']);
	});

	it('reading or scanning a damaged journal returns the records before the damage, and changes nothing', async () => {
		await flip(position(2, 20));
		const broken = await readFile(path);
		const records: StoredRecord[] = [];
		const reader = await store.openReadOnly('s', (record) => records.push(record));
		expect(records.map(({ value }) => (value as { i: unknown }).i)).toEqual([0, 1]);
		expect(await reader.read(records.flatMap((record) => record.bodies))).toEqual(bodiesOf([0, 1]));
		await reader.close();
		const scanned: unknown[] = [];
		await store.scan('s', ({ value }) => scanned.push(value));
		expect(scanned).toHaveLength(2);
		expect(await readFile(path)).toEqual(broken);
		expect(await readdir(sessions)).toEqual(['s.jsonl']);
	});

	it('a damaged journal is unchanged if there is no space for a new file, and can still be read', async () => {
		await flip(position(2, 20));
		const broken = await readFile(path);
		const full = createFileJournals({
			directory,
			logger,
			openFile: (file, flags, mode) => {
				if (file.endsWith('.new')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
				return open(file, flags, mode);
			},
		});
		await expect(full.open('s', () => undefined)).rejects.toMatchObject({ kind: 'StorageFailed' });
		expect(await readFile(path)).toEqual(broken);
		const read: unknown[] = [];
		await full.scan('s', ({ value }) => read.push(value));
		expect(read).toEqual([{ i: 0 }, { i: 1 }]);
		expect((await opened()).numbers).toEqual([0, 1]);
	});
});

describe('a journal with missing bytes', () => {
	const without = (all: Buffer, from: number, to: number) =>
		Buffer.concat([all.subarray(0, from), all.subarray(to)]);
	it('opening keeps a copy if sound records follow one that looks unfinished because a byte is missing', async () => {
		const broken = without(whole, position(4, -60), position(4, -59));
		const tail = broken.subarray(0, position(4, -1) + 40);
		await writeFile(path, tail);
		const { numbers, salvaged } = await opened();
		expect(numbers).toEqual(upTo(4));
		expect(await readFile(salvaged?.copy ?? '')).toEqual(tail);
	});
});

describe('a journal whose first line is damaged', () => {
	it('a damaged first line is repaired from the name of the file, wherever the damage is, and a copy is kept', async () => {
		for (let place = 0; place < position(0); place += 3) {
			await writeFile(path, whole);
			await flip(place);
			const broken = await readFile(path);
			expect(await store.list()).toEqual([expect.objectContaining({ sessionId: 's' })]);
			const { numbers, bodies, salvaged } = await opened();
			expect(numbers).toEqual(upTo(count));
			expect(bodies).not.toContain(undefined);
			expect(await readFile(path)).toEqual(whole);
			expect(salvaged?.lostBytes).toBe(0);
			expect(await readFile(salvaged?.copy ?? '')).toEqual(broken);
		}
	});

	it('a journal loses all records if its first line and the first record are damaged, and a copy is kept', async () => {
		const broken = Buffer.from(whole).fill(0, 0, position(0, 20));
		await writeFile(path, broken);
		const { numbers, salvaged } = await opened();
		expect(numbers).toEqual([]);
		expect(await readFile(salvaged?.copy ?? '')).toEqual(broken);
		expect(await store.list()).toMatchObject([{ sessionId: 's', size: position(0) }]);
	});

	it('damage to the version in the first line is not taken for a newer version', async () => {
		const place = whole.indexOf('"version":1') + '"version":'.length;
		for (const digit of ['3', '5', '9']) {
			const damaged = Buffer.from(whole);
			damaged.write(digit, place);
			await writeFile(path, damaged);
			expect((await opened()).numbers).toEqual(upTo(count));
			expect(await readFile(path)).toEqual(whole);
		}
	});

	it('damage at the end of the first line loses no record', async () => {
		await flip(position(0) - 1);
		expect((await opened()).numbers).toEqual(upTo(count));
	});

	it('opening refuses a journal of a newer version, and a journal of another session', async () => {
		const said = '{"contextd":"journal","version":9,"sessionId":"s"';
		const records = whole.subarray(whole.indexOf(10) + 1);
		for (const line of [`${said},"crc":${crc32(said)}}`, `${said},"another":true}`]) {
			await writeFile(path, Buffer.concat([Buffer.from(`${line}\n`), records]));
			await expect(opened()).rejects.toThrow('a newer contextd wrote it');
		}
		await writeFile(join(sessions, 't.jsonl'), whole);
		await expect(store.open('t', () => undefined)).rejects.toThrow('it contains session "s"');
	});

	it('a file without any journal record is not taken for a journal', async () => {
		await writeFile(path, 'some notes of mine\n'.repeat(100));
		expect(await store.list()).toEqual([]);
		await expect(opened()).rejects.toThrow('it is not a journal');
		expect(await readFile(path, 'utf8')).toBe('some notes of mine\n'.repeat(100));
	});
});

describe('damage to the last record of a journal', () => {
	it('one changed byte in the last record costs one body, and needs no copy', async () => {
		await flip(whole.indexOf('body 5'));
		const { numbers, bodies, salvaged } = await opened();
		expect(numbers).toEqual(upTo(count));
		expect(bodies.flatMap((body, index) => (body === undefined ? [index] : []))).toEqual([10]);
		expect(salvaged).toBeUndefined();
	});

	it('a damaged last line end does not merge the next record into its line', async () => {
		await flip(whole.length - 1);
		const journal = await store.open('s', () => undefined);
		await journal.append({ i: 99 }, []).durable;
		await journal.close();
		const { numbers, bodies } = await opened();
		expect(numbers).toEqual([...upTo(count), 99]);
		expect(bodies).not.toContain(undefined);
	});

	it('a last record damaged in its middle is removed, and a copy is kept', async () => {
		await writeFile(path, Buffer.from(whole).fill(0, position(5, 90), position(5, 100)));
		const { numbers, salvaged } = await opened();
		expect(numbers).toEqual(upTo(5));
		expect(salvaged).toEqual({ lostBytes: position(6) - position(5), copy: `${path}.damaged-1` });
	});

	it('a last record that ends too early is removed without a copy', async () => {
		await writeFile(path, whole.subarray(0, -5));
		const { numbers, salvaged } = await opened();
		expect({ numbers, salvaged }).toEqual({ numbers: upTo(5), salvaged: undefined });
		expect(await readdir(sessions)).toEqual(['s.jsonl']);
	});
});
