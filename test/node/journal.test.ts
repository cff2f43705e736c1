import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { BodyRef, JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';

let directory: string;
let store: JournalStore;

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	store = createFileJournals({ directory, logger: silentLogger });
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function replayed(sessionId: string): Promise<{ values: unknown[]; bodies: (string | undefined)[][] }> {
	const records: StoredRecord[] = [];
	const journal = await store.open(sessionId, (record) => records.push(record));
	const bodies: (string | undefined)[][] = [];
	for (const record of records) bodies.push(await journal.read(record.bodies));
	await journal.close();
	return { values: records.map((record) => record.value), bodies };
}

describe('a journal on disk', () => {
	it('a journal returns records and bodies in order after it is opened again', async () => {
		const journal = await store.create('s');
		const first = journal.append({ t: 'a', text: 'grüße 🎉' }, ['"body ä"', '{"x":1}']);
		const second = journal.append({ t: 'b' }, []);
		await Promise.all([first.durable, second.durable]);
		await journal.append(null, ['""', '']).durable;
		await journal.close();
		expect(await replayed('s')).toEqual({
			values: [{ t: 'a', text: 'grüße 🎉' }, { t: 'b' }, null],
			bodies: [['"body ä"', '{"x":1}'], [], ['""', '']],
		});
	});

	it('a journal opens again with any characters in its session id', async () => {
		for (const id of ['a\u2028b', 'a\u2029', '\u2028\u2029', 'a\nb', 'a\u0085b', 'ä 😀']) {
			const journal = await store.create(id);
			await journal.append({ t: 'a' }, []).durable;
			await journal.close();
			expect((await replayed(id)).values).toEqual([{ t: 'a' }]);
		}
	});

	it('a journal has one JSON value per line', async () => {
		const journal = await store.create('s');
		await journal.append({ t: 'a' }, ['"one"', '"two"']).durable;
		await journal.close();
		const lines = (await readFile(join(directory, 'sessions', 's.jsonl'), 'utf8')).split('\n');
		expect(lines.pop()).toBe('');
		const [format, header, ...bodies] = lines.map((line) => JSON.parse(line));
		expect(format).toMatchObject({ contextd: 'journal', version: 1, sessionId: 's' });
		expect(header).toMatchObject({
			record: { t: 'a' },
			bodies: [
				[5, expect.any(Number)],
				[5, expect.any(Number)],
			],
		});
		expect(bodies).toEqual(['one', 'two']);
	});

	it('a journal returns any records and bodies', async () => {
		let number = 0;
		const body = fc.oneof(
			fc.json(),
			fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
		);
		const records = fc.array(
			fc.record({ value: fc.jsonValue(), bodies: fc.array(body, { maxLength: 4 }), wait: fc.boolean() }),
		);
		await fc.assert(
			fc.asyncProperty(records, async (wanted) => {
				const sessionId = `property-${number++}`;
				const journal = await store.create(sessionId);
				for (const { value, bodies, wait } of wanted) {
					const appended = journal.append(value, bodies);
					if (wait) await appended.durable;
				}
				await journal.close();
				const found = await replayed(sessionId);
				expect(found.values).toEqual(wanted.map(({ value }) => JSON.parse(JSON.stringify(value))));
				expect(found.bodies).toEqual(wanted.map(({ bodies }) => bodies));
			}),
			{ numRuns: 20 },
		);
	});

	it('a journal reads buffered bodies together with those on disk, in any order', async () => {
		const journal = await store.create('s');
		const refs: BodyRef[] = [];
		for (let i = 0; i < 50; i++) {
			refs.push(...journal.append({ i }, [`"first ${i}"`, `"second ${i} ä"`]).bodies);
			if (i % 20 === 10) await journal.append({}, []).durable;
		}
		const mixed = [...refs].reverse();
		const texts = await journal.read([...mixed, refs[3]!, refs[3]!]);
		expect(texts[0]).toBe('"second 49 ä"');
		expect(texts[99]).toBe('"first 0"');
		expect(texts.slice(-2)).toEqual(['"second 1 ä"', '"second 1 ä"']);
		const during = journal.append({}, ['"late"']);
		const [late] = await Promise.all([journal.read(during.bodies), during.durable]);
		expect(late).toEqual(['"late"']);
		expect(await journal.read(mixed)).toEqual(texts.slice(0, 100));
		await journal.close();
	});

	it('a journal skips large bodies when it is opened, and reads them later', async () => {
		const journal = await store.create('s');
		const large = JSON.stringify('x'.repeat(3_000_000));
		for (let i = 0; i < 4; i++) journal.append({ i, pad: 'p'.repeat(i * 70_000) }, [large, `"${i}"`]);
		await journal.close();
		const found = await replayed('s');
		expect(found.values).toHaveLength(4);
		expect(found.bodies[2]).toEqual([large, '"2"']);
	});

	it('a journal refuses a body with a line end and a record that JSON cannot represent, and takes the next append', async () => {
		const journal = await store.create('s');
		expect(() => journal.append({}, ['{\n}'])).toThrow(/line end/);
		expect(() => journal.append(undefined, [])).toThrow(TypeError);
		await journal.append({ ok: true }, []).durable;
		await journal.close();
		expect((await replayed('s')).values).toEqual([{ ok: true }]);
	});

	it('a journal knows its size, and refuses appends after it was closed', async () => {
		const journal = await store.create('s');
		journal.append({ a: 1 }, ['"x"']);
		await journal.close();
		await journal.close();
		expect(journal.size).toBe((await readFile(join(directory, 'sessions', 's.jsonl'))).length);
		expect(() => journal.append({}, [])).toThrow(expect.objectContaining({ kind: 'StorageFailed' }));
	});

	it('the journal store fails with SessionNotFound for an unknown session, and creates no session twice', async () => {
		await expect(store.open('none', () => undefined)).rejects.toMatchObject({ kind: 'SessionNotFound' });
		await expect(store.scan('none', () => undefined)).rejects.toMatchObject({ kind: 'SessionNotFound' });
		await expect(store.delete('none')).rejects.toMatchObject({ kind: 'SessionNotFound' });
		expect(await readdir(directory)).toEqual([]);
		await (await store.create('s')).close();
		await expect(store.create('s')).rejects.toMatchObject({ kind: 'StorageFailed' });
	});

	it('the journal store refuses a journal of a newer version', async () => {
		await (await store.create('s')).close();
		const path = join(directory, 'sessions', 's.jsonl');
		const text = `{"contextd":"journal","version":2,"sessionId":"s","other":[]}\n`;
		await writeFile(path, text);
		await expect(store.open('s', () => undefined)).rejects.toMatchObject({
			kind: 'StorageFailed',
			message: expect.stringMatching(/version 2.*newer/),
		});
		expect(await readFile(path, 'utf8')).toBe(text);
	});

	it('a journal can be opened again after the reader of its records threw', async () => {
		const journal = await store.create('s');
		await journal.append({}, []).durable;
		await journal.close();
		const failing = store.open('s', () => {
			throw new Error('not understood');
		});
		await expect(failing).rejects.toThrow('not understood');
		await (await store.open('s', () => undefined)).close();
	});
});
