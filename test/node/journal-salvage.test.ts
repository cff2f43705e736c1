import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import type { Journal, JournalStore, LostLine, Mend, StoredRecord } from '../../server/session/ports.ts';
import { listeningLogger } from '../support/logger.ts';

const count = 6;
const text = (i: number) => `"body ${i} ${'words '.repeat(20)}ü"`;

let directory: string;
let sessions: string;
let path: string;
let store: JournalStore;
let logger: ReturnType<typeof listeningLogger>;
/** Where each record begins, and the end. */
let places: number[];
let whole: Buffer;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	sessions = join(directory, 'sessions');
	path = join(sessions, 's.jsonl');
	logger = listeningLogger();
	store = fileJournalStore({ directory, logger });
	const journal = await store.create('s');
	places = [journal.size];
	for (let i = 0; i < count; i++) {
		await journal.append({ i }, [text(i), `"second ${i}"`]).durable;
		places.push(journal.size);
	}
	await journal.close();
	whole = await readFile(path);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const position = (record: number, plus = 0) => (places[record] ?? 0) + plus;

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

async function opened(mend?: Mend): Promise<Found> {
	const records: StoredRecord[] = [];
	const journal = await store.open('s', (record) => records.push(record), mend);
	const bodies = await journal.read(records.flatMap((record) => record.bodies));
	await journal.close();
	const numbers = records.map(({ value }) => (value as { i: number }).i);
	return { numbers, bodies, salvaged: journal.salvaged };
}

const without = (...lost: number[]) => [...Array(count).keys()].filter((i) => !lost.includes(i));

describe('a journal with a damaged record', () => {
	it.each([0, 2, count - 1])('gives all others, wherever it is: %i', async (record) => {
		await flip(position(record, 20));
		const broken = await readFile(path);
		const { numbers, bodies, salvaged } = await opened();
		expect(numbers).toEqual(without(record));
		expect(bodies).toEqual(without(record).flatMap((i) => [text(i), `"second ${i}"`]));
		expect(salvaged).toEqual({
			lostBytes: position(record + 1) - position(record),
			copy: `${path}.damaged-1`,
		});
		expect(await readFile(`${path}.damaged-1`)).toEqual(broken);
	});

	it('is whole from then on, and goes on', async () => {
		await flip(position(1, 20));
		await flip(position(3, 20));
		expect((await opened()).numbers).toEqual(without(1, 3));
		const journal = await store.open('s', () => undefined);
		expect(journal.salvaged).toBeUndefined();
		await journal.append({ i: 99 }, ['"new"']).durable;
		await journal.close();
		expect((await opened()).numbers).toEqual([...without(1, 3), 99]);
		expect((await readdir(sessions)).sort()).toEqual(['s.jsonl', 's.jsonl.damaged-1']);
	});

	it('takes what is made of its lines, in its place and for good', async () => {
		await flip(position(2, 20));
		let seen: { lines: readonly LostLine[]; following: readonly unknown[] } | undefined;
		const first = await opened(async (lines, following) => {
			seen = { lines, following };
			return { value: { i: 'mended' }, bodies: lines.slice(1).map((line) => line.text) };
		});
		expect(seen?.lines.map(({ isSound }) => isSound)).toEqual([false, true, true]);
		expect(seen?.lines.slice(1).map((line) => line.text)).toEqual([text(2), '"second 2"']);
		expect(seen?.following).toEqual([{ i: 3 }, { i: 4 }, { i: 5 }]);
		const headerBytes = (seen?.lines[0]?.text.length ?? 0) + 1;
		expect(first.salvaged?.lostBytes).toBe(headerBytes);
		expect(first.numbers).toEqual([0, 1, 'mended', 3, 4, 5]);
		expect(first.bodies).toEqual([0, 1, 2, 3, 4, 5].flatMap((i) => [text(i), `"second ${i}"`]));
		expect(await opened()).toEqual({ ...first, salvaged: undefined });
	});

	it('knows which of its lines are damaged too', async () => {
		await flip(position(2, 20));
		await flip((await readFile(path)).indexOf('body 2'));
		await opened(async (lines) => {
			expect(lines.map(({ isSound }) => isSound)).toEqual([false, false, true]);
			return undefined;
		});
	});

	it('can be followed and scanned over it, and is not touched by that', async () => {
		await flip(position(2, 20));
		const broken = await readFile(path);
		const mend: Mend = async () => ({ value: { i: 'mended' }, bodies: ['"in memory"'] });
		const records: StoredRecord[] = [];
		const followed = await store.follow('s', (record) => records.push(record), undefined, mend);
		expect(records.map(({ value }) => (value as { i: unknown }).i)).toEqual([0, 1, 'mended', 3, 4, 5]);
		const bodies = await followed.read(records.flatMap((record) => record.bodies));
		expect(bodies.slice(3, 6)).toEqual(['"second 1"', '"in memory"', text(3)]);
		expect(bodies).not.toContain(undefined);
		await followed.close();
		const scanned: unknown[] = [];
		await store.scan('s', ({ value }) => scanned.push(value), mend);
		expect(scanned).toHaveLength(6);
		expect(await readFile(path)).toEqual(broken);
		expect(await readdir(sessions)).toEqual(['s.jsonl']);
	});

	it('is as it was where it cannot be written anew', async () => {
		await flip(position(2, 20));
		const broken = await readFile(path);
		const full = fileJournalStore({
			directory,
			logger,
			openFile: (file, flags, mode) => {
				if (file.endsWith('.new')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
				return open(file, flags, mode);
			},
		});
		await expect(full.open('s', () => undefined)).rejects.toMatchObject({ kind: 'StorageFailed' });
		expect(await readFile(path)).toEqual(broken);
		expect((await opened()).numbers).toEqual(without(2));
	});
});

describe('a journal whose bytes are in disorder', () => {
	const cases: [string, (bytes: Buffer) => Buffer, number[]][] = [
		[
			'a piece cut out of a record',
			(all) => Buffer.concat([all.subarray(0, position(2, 10)), all.subarray(position(2, 40))]),
			without(2),
		],
		[
			'a piece cut out of bodies',
			(all) => Buffer.concat([all.subarray(0, position(3, -60)), all.subarray(position(3, -20))]),
			without(),
		],
		[
			'a record cut out',
			(all) => Buffer.concat([all.subarray(0, position(2)), all.subarray(position(3))]),
			without(2),
		],
		[
			'a piece written over with zeros',
			(all) => Buffer.from(all).fill(0, position(1, 5), position(3, 5)),
			without(1, 2, 3),
		],
		[
			'a piece twice',
			(all) => Buffer.concat([all.subarray(0, position(2, 30)), all.subarray(position(1, 10))]),
			[0, 1, 2, 3, 4, 5],
		],
		[
			'garbage between records',
			(all) =>
				Buffer.concat([all.subarray(0, position(2)), Buffer.from('garbage\n'), all.subarray(position(2))]),
			without(),
		],
	];

	it.each(cases)('gives every record that is left: %s', async (_, change, expected) => {
		await writeFile(path, change(whole));
		const { numbers, bodies, salvaged } = await opened();
		expect(numbers).toEqual(expected);
		expect(salvaged?.copy ?? `${path}.damaged-1`).toBe(`${path}.damaged-1`);
		for (const body of bodies) {
			if (body !== undefined)
				expect([0, 1, 2, 3, 4, 5].flatMap((i) => [text(i), `"second ${i}"`])).toContain(body);
		}
		expect((await opened()).numbers).toEqual(numbers);
	});

	it('gives the bodies of a record that are left where a piece of it is missing', async () => {
		const end = whole.indexOf('"second 2"');
		await writeFile(path, Buffer.concat([whole.subarray(0, end + 2), whole.subarray(end + 6)]));
		const { numbers, bodies, salvaged } = await opened();
		expect(numbers).toEqual(without());
		expect(bodies.flatMap((body, index) => (body === undefined ? [index] : []))).toEqual([5]);
		expect(salvaged).toEqual({ lostBytes: 4, copy: `${path}.damaged-1` });
	});
});

describe('a journal whose first line is damaged', () => {
	it('is known by its name, wherever the damage is', async () => {
		const start = position(0);
		for (let place = 0; place < start; place += 3) {
			await writeFile(path, whole);
			await flip(place);
			expect(await store.list()).toEqual([expect.objectContaining({ sessionId: 's' })]);
			const { numbers, bodies } = await opened();
			expect(numbers).toEqual(without());
			expect(bodies).not.toContain(undefined);
			expect(await readFile(path)).toEqual(whole);
		}
	});

	it('is not taken for that of a newer version where the damage is in its version', async () => {
		const place = whole.indexOf('"version":1') + '"version":'.length;
		for (const digit of ['3', '5', '9']) {
			const damaged = Buffer.from(whole);
			damaged.write(digit, place);
			await writeFile(path, damaged);
			expect((await opened()).numbers).toEqual(without());
			expect(await readFile(path)).toEqual(whole);
		}
	});

	it('loses nothing where its end is damaged', async () => {
		await flip(position(0) - 1);
		expect((await opened()).numbers).toEqual(without());
	});

	it('is refused where a newer version wrote it, and where another session is in it', async () => {
		const said = '{"contextd":"journal","version":9,"sessionId":"s"';
		const records = whole.subarray(whole.indexOf(10) + 1);
		for (const line of [`${said},"crc":${crc32(said)}}`, `${said},"another":true}`]) {
			await writeFile(path, Buffer.concat([Buffer.from(`${line}\n`), records]));
			await expect(opened()).rejects.toThrow('a newer contextd wrote it');
		}
		await writeFile(join(sessions, 't.jsonl'), whole);
		await expect(store.open('t', () => undefined)).rejects.toThrow('it holds session "s"');
	});

	it('is no journal where nothing behind it is one', async () => {
		await writeFile(path, 'some notes of mine\n'.repeat(100));
		expect(await store.list()).toEqual([]);
		await expect(opened()).rejects.toThrow('it is not a journal');
		expect(await readFile(path, 'utf8')).toBe('some notes of mine\n'.repeat(100));
	});
});

describe('damage in what was written last', () => {
	it('costs one body where one byte changed, and needs no copy', async () => {
		await flip(whole.indexOf('body 5'));
		const { numbers, bodies, salvaged } = await opened();
		expect(numbers).toEqual(without());
		expect(bodies.flatMap((body, index) => (body === undefined ? [index] : []))).toEqual([10]);
		expect(salvaged).toBeUndefined();
	});

	it('does not keep the next record from its line, where the last line end is damaged', async () => {
		await flip(whole.length - 1);
		const journal = await store.open('s', () => undefined);
		await journal.append({ i: 99 }, []).durable;
		await journal.close();
		const { numbers, bodies } = await opened();
		expect(numbers).toEqual([...without(), 99]);
		expect(bodies).not.toContain(undefined);
	});

	it('is kept in a copy where it looks like a write that never finished, and told', async () => {
		await writeFile(path, Buffer.from(whole).fill(0, position(5, 90), position(5, 100)));
		const { numbers, salvaged } = await opened();
		expect(numbers).toEqual(without(5));
		expect(salvaged).toEqual({ lostBytes: position(6) - position(5), copy: `${path}.damaged-1` });
	});

	it('is no damage where the file only ends too early', async () => {
		await writeFile(path, whole.subarray(0, -5));
		const { numbers, salvaged } = await opened();
		expect({ numbers, salvaged }).toEqual({ numbers: without(5), salvaged: undefined });
		expect(await readdir(sessions)).toEqual(['s.jsonl']);
	});
});
