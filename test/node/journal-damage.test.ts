import { mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { parseFormatLine } from '../../server/node/journal/format.ts';
import type { JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { listeningLogger } from '../support/logger.ts';
import { machineSlowness, processorClock } from '../support/processorClock.ts';
import { soakFactor } from '../support/soak.ts';

let directory: string;
let path: string;
let store: JournalStore;
let logger: ReturnType<typeof listeningLogger>;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	path = join(directory, 'sessions', 's.jsonl');
	logger = listeningLogger();
	store = createFileJournals({ directory, logger });
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** Writes `count` records in groups of `groupSize`; returns the sizes of the file before the first and after each. */
async function written(count: number, groupSize: number): Promise<number[]> {
	const journal = await store.create('s');
	const sizes = [journal.size];
	for (let i = 0; i < count; i++) {
		const { durable } = journal.append({ i, text: 'ä🎉' }, [`"body ${i} ü"`, '{"more":true}']);
		sizes.push(journal.size);
		if (i % groupSize === groupSize - 1) await durable;
	}
	await journal.close();
	return sizes;
}

async function reopened(): Promise<{ numbers: unknown[]; bodies: (string | undefined)[] }> {
	const records: StoredRecord[] = [];
	const journal = await store.open('s', (record) => records.push(record));
	const bodies = await journal.read(records.flatMap((record) => record.bodies));
	await journal.close();
	return { numbers: records.map(({ value }) => (value as { i: number }).i), bodies };
}

const upTo = (count: number): number[] => [...Array(count).keys()];

describe('a journal whose end is torn', () => {
	it.each([1, 10])(
		'a journal cut anywhere at its end opens with the records before the cut (groups of %i)',
		async (groupSize) => {
			const sizes = await written(2, groupSize);
			const whole = await readFile(path);
			for (let cut = sizes[0]!; cut <= whole.length; cut++) {
				await writeFile(path, whole.subarray(0, cut));
				const expected = sizes.filter((size) => size <= cut).length - 1;
				const { numbers, bodies } = await reopened();
				expect(numbers).toEqual(upTo(expected));
				expect(bodies).toHaveLength(2 * expected);
				expect((await readFile(path)).length).toBe(sizes[expected]);
			}
			expect(await readdir(join(directory, 'sessions'))).toEqual(['s.jsonl']);
		},
	);

	it('a journal cut in its first line begins again, and a copy keeps the remains', async () => {
		const [start] = await written(1, 1);
		const whole = await readFile(path);
		for (let cut = 0; cut < start!; cut += 5) {
			await writeFile(path, whole.subarray(0, cut));
			expect(await store.list()).toMatchObject([{ sessionId: 's' }]);
			const journal = await store.open('s', () => undefined);
			expect(journal.salvaged).toEqual({ lostBytes: cut, copy: `${path}.damaged-1` });
			await journal.append({ i: 7 }, []).durable;
			await journal.close();
			expect((await reopened()).numbers).toEqual([7]);
			expect(await readFile(`${path}.damaged-1`)).toEqual(whole.subarray(0, cut));
			await rm(`${path}.damaged-1`);
		}
	});

	it('a journal that ends in zeros opens with the records before them', async () => {
		const sizes = await written(3, 1);
		const whole = await readFile(path);
		await writeFile(path, Buffer.concat([whole, Buffer.alloc(5000)]));
		expect((await reopened()).numbers).toEqual([0, 1, 2]);
		expect(await readFile(path)).toEqual(whole);
		for (let zeros = 1; zeros < sizes[3]! - sizes[2]!; zeros++) {
			await writeFile(path, Buffer.concat([whole.subarray(0, -zeros), Buffer.alloc(zeros)]));
			expect((await reopened()).numbers).toEqual([0, 1]);
		}
	});

	it('a journal cut at its end takes appends after the cut', async () => {
		await written(3, 1);
		await truncate(path, (await readFile(path)).length - 4);
		const journal = await store.open('s', () => undefined);
		journal.append({ i: 99 }, ['"new"']);
		await journal.close();
		expect((await reopened()).numbers).toEqual([0, 1, 99]);
		expect(logger.lines).toHaveLength(1);
		expect(logger.lines[0]).toContain(path);
	});
});

describe('a journal damaged in its middle', () => {
	it('a journal damaged in its middle opens up to the damaged record, keeps a copy, and logs file and place', async () => {
		const sizes = await written(5, 1);
		const whole = await readFile(path);
		const broken = Buffer.from(whole);
		broken[sizes[2]! + 30]! ^= 1;
		await writeFile(path, broken);
		expect((await reopened()).numbers).toEqual([0, 1]);
		expect(await readFile(`${path}.damaged-1`)).toEqual(broken);
		expect(await readFile(path)).toEqual(whole.subarray(0, sizes[2]));
		expect((await reopened()).numbers).toEqual([0, 1]);
		expect(logger.lines.join()).toContain(`byte ${sizes[2]} `);
		expect(logger.lines.join()).toContain(`${path}.damaged-1`);
		await writeFile(path, broken);
		await reopened();
		expect((await readdir(join(directory, 'sessions'))).sort()).toEqual([
			's.jsonl',
			's.jsonl.damaged-1',
			's.jsonl.damaged-2',
		]);
	});

	it('opening a journal checks every body of the last group, whose parts may reach the disk in any order', async () => {
		const sizes = await written(6, 3);
		const bytes = await readFile(path);
		bytes.fill(0, bytes.indexOf('"body 4', sizes[4]), sizes[5]);
		await writeFile(path, bytes);
		expect((await reopened()).numbers).toEqual([0, 1, 2, 3]);
		expect(await readFile(`${path}.damaged-1`)).toEqual(bytes);
	});

	it('a damaged journal opens in linear time, whatever the lost part looks like', async () => {
		await written(1, 1);
		const [header] = (await readFile(path, 'utf8')).split('\n').slice(1);
		const looksAlike = `${header!.slice(0, -5)} `.repeat(20_000);
		await writeFile(path, Buffer.concat([await readFile(path), Buffer.from(`{"crc":${looksAlike}`)]));
		const spent = processorClock();
		expect((await reopened()).numbers).toEqual([0]);
		expect(spent()).toBeLessThan(2000 * machineSlowness());
	});

	it(
		'a damaged journal loads every record before the damage, and never a text that was not written',
		async () => {
			const sizes = await written(6, 2);
			const whole = await readFile(path);
			const damage = fc.record({
				kind: fc.constantFrom('flip', 'zero', 'cut out', 'twice', 'garbage'),
				place: fc.integer({ min: 0, max: whole.length - 1 }),
				length: fc.integer({ min: 1, max: 300 }),
			});
			await fc.assert(
				fc.asyncProperty(damage, async ({ kind, place, length }) => {
					const end = Math.min(whole.length, place + length);
					const [before, hit, after] = [
						whole.subarray(0, place),
						whole.subarray(place, end),
						whole.subarray(end),
					];
					const changed = {
						flip: [before, hit.map((byte) => byte ^ (length & 255)), after],
						zero: [before, Buffer.alloc(hit.length), after],
						'cut out': [before, after],
						twice: [before, hit, hit, after],
						garbage: [before, Buffer.from('garbage\n'), hit, after],
					}[kind];
					const broken = Buffer.concat(changed);
					// Damage can turn the version into that of a newer contextd, whose journals are left alone.
					fc.pre(parseFormatLine(broken).kind !== 'newer');
					await writeFile(path, broken);
					const records: StoredRecord[] = [];
					const journal = await store.open('s', (each) => records.push(each));
					const numbers = records.map(({ value }) => (value as { i: number }).i);
					const soundRecords = Math.max(0, sizes.filter((size) => size <= place).length - 1);
					expect(numbers.slice(0, soundRecords)).toEqual(upTo(soundRecords));
					for (const [index, { value, bodies }] of records.entries()) {
						const { i } = value as { i: number };
						const texts = await journal.read(bodies);
						const wanted = [`"body ${i} ü"`, '{"more":true}'];
						expect(texts).toEqual(texts.map((text, n) => (text === undefined ? undefined : wanted[n])));
						if (index < soundRecords) expect(texts).toEqual(wanted);
					}
					await journal.append({ i: 99 }, ['"new"']).durable;
					await journal.close();
					const { copy, lostBytes } = journal.salvaged ?? {};
					if (copy !== undefined) {
						expect(await readFile(copy)).toEqual(broken);
						if (place >= sizes[0]!) expect(lostBytes).toBeGreaterThan(0);
						await rm(copy);
					}
					expect((await reopened()).numbers).toEqual([...numbers, 99]);
				}),
				{ numRuns: 100 * soakFactor },
			);
		},
		120_000 * soakFactor,
	);

	it('a journal with one changed body returns all other bodies', async () => {
		const sizes = await written(5, 1);
		const bytes = await readFile(path);
		bytes[bytes.indexOf('"body 1', sizes[1]) + 2]! ^= 1;
		await writeFile(path, bytes);
		const { numbers, bodies } = await reopened();
		expect(numbers).toEqual(upTo(5));
		expect(bodies.filter((text) => text === undefined)).toHaveLength(1);
		expect(bodies[2]).toBeUndefined();
	});

	it('a journal returns all bodies but those that the disk cannot read', async () => {
		await written(5, 1);
		const writer = await store.open('s', () => undefined);
		// More bytes than an open journal keeps in memory.
		await writer.append({ i: 5 }, [JSON.stringify('x'.repeat(1_500_000))]).durable;
		await writer.close();
		const bad = (await readFile(path)).indexOf('"body 2');
		const failing = createFileJournals({
			directory,
			logger,
			openFile: async (file, flags, mode) => {
				const handle = await open(file, flags, mode);
				const read = handle.read.bind(handle) as (...of: unknown[]) => Promise<unknown>;
				return Object.assign(handle, {
					async read(buffer: Buffer, start: number, length: number, offset: number) {
						const isMet = isReading && offset <= bad && offset + length > bad;
						if (isMet) throw Object.assign(new Error('EIO: read'), { code: 'EIO' });
						return read(buffer, start, length, offset);
					},
				});
			},
		});
		let isReading = false;
		const records: StoredRecord[] = [];
		const journal = await failing.open('s', (record) => records.push(record));
		isReading = true;
		const bodies = await journal.read(records.flatMap((record) => record.bodies));
		await journal.close();
		expect(bodies.flatMap((text, index) => (text === undefined ? [index] : []))).toEqual([4]);
	});

	it('opening a journal with any bytes after the first line does not crash', async () => {
		const [start] = await written(1, 1);
		const firstLine = (await readFile(path)).subarray(0, start);
		const chunk = fc.oneof(
			fc.uint8Array({ maxLength: 200 }),
			fc
				.constantFrom('{"crc":', '{"crc":1,"bodies":[[', '\n', '{"crc":4,}\n')
				.map((text) => Buffer.from(text)),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(chunk), async (chunks) => {
				await writeFile(path, Buffer.concat([firstLine, ...chunks]));
				expect((await reopened()).numbers).toEqual([]);
			}),
			{ numRuns: 100 },
		);
	});
});
