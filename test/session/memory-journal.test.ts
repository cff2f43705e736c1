import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import type { JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';

const discard = (): void => undefined;

type Act =
	| { do: 'create' | 'open' | 'close' | 'delete' | 'scan'; id: string }
	| { do: 'append'; id: string; value: unknown; bodies: string[] };

const sessionId = fc.constantFrom('a', 'b', '../c');
const act: fc.Arbitrary<Act> = fc.oneof(
	fc.record({ do: fc.constantFrom('create', 'open', 'close', 'delete', 'scan'), id: sessionId }),
	fc.record({
		do: fc.constant('append' as const),
		id: sessionId,
		value: fc.jsonValue(),
		bodies: fc.array(fc.json(), { maxLength: 3 }),
	}),
);

/** Performs the acts and returns their outcomes in a form that both stores share. */
async function outcomes(store: JournalStore, acts: readonly Act[]): Promise<unknown[]> {
	const open = new Map<string, Awaited<ReturnType<JournalStore['open']>>>();
	const told: unknown[] = [];
	for (const each of acts) {
		const records: StoredRecord[] = [];
		try {
			if (each.do === 'create') open.set(each.id, await store.create(each.id));
			if (each.do === 'open') open.set(each.id, await store.open(each.id, (record) => records.push(record)));
			if (each.do === 'scan') await store.scan(each.id, (record) => records.push(record));
			if (each.do === 'close') await open.get(each.id)?.close();
			if (each.do === 'delete') await store.delete(each.id);
			if (each.do === 'append') {
				const appended = open.get(each.id)?.append(each.value, each.bodies);
				told.push(appended && (await open.get(each.id)?.read(appended.bodies)));
				await appended?.durable;
			}
			told.push(records.map(({ value, bodies }) => [value, bodies.length]));
		} catch (error) {
			told.push(error instanceof Error ? error.name : error);
		}
	}
	told.push((await store.list()).map((entry) => entry.sessionId).sort());
	for (const journal of open.values()) await journal.close();
	return told;
}

describe('a journal in memory', () => {
	it('a journal in memory behaves like one on disk', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
				const directory = await mkdtemp(join(tmpdir(), 'journal-'));
				const onDisk = await outcomes(createFileJournals({ directory, logger: silentLogger }), acts);
				expect(await outcomes(createMemoryJournals(), acts)).toEqual(onDisk);
				await rm(directory, { recursive: true });
			}),
			{ numRuns: 40 },
		);
	});

	it('a journal in memory stores a copy of each record', async () => {
		const store = createMemoryJournals(() => 7);
		const journal = await store.create('s');
		const value = { list: [1], gone: undefined };
		journal.append(value, []);
		value.list.push(2);
		const values: unknown[] = [];
		await store.scan('s', (record) => values.push(record.value));
		expect(values).toEqual([{ list: [1] }]);
		expect(await store.list()).toEqual([{ sessionId: 's', size: journal.size, modifiedAt: 7 }]);
	});

	it('a reader of a journal in memory is outdated once the journal grew or was deleted', async () => {
		const store = createMemoryJournals();
		const journal = await store.create('s');
		const { bodies } = journal.append({ i: 0 }, ['"body"']);
		const records: StoredRecord[] = [];
		const reader = await store.openReadOnly('s', (record) => records.push(record));
		expect(records).toEqual([{ value: { i: 0 }, bodies }]);
		expect(await reader.read(bodies)).toEqual(['"body"']);
		expect(await reader.isOutdated()).toBe(false);
		journal.append({ i: 1 }, []);
		expect(await reader.isOutdated()).toBe(true);
		const second = await store.openReadOnly('s', discard);
		await store.delete('s');
		expect(await second.isOutdated()).toBe(true);
	});

	it('a journal in memory refuses bodies with a line end and returns nothing for unknown refs', async () => {
		const store = createMemoryJournals();
		const journal = await store.create('s');
		expect(() => journal.append({}, ['\n'])).toThrow(TypeError);
		expect(await journal.read([{ offset: 3, length: 1, crc: 0 }])).toEqual([undefined]);
		await expect(store.open('s', discard)).rejects.toMatchObject({ kind: 'StorageFailed' });
	});
});
