import { describe, expect, it } from 'vitest';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import type { JournalEntry, JournalStore } from '../../server/session/ports.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { testWorld } from '../support/world.ts';

/** Creates this number of sessions, and returns a store of them that counts reads of journals. */
async function listed(count: number, over: (journals: JournalStore) => Partial<JournalStore> = () => ({})) {
	const kept = createMemoryJournals(() => 1);
	const before = testWorld({ journals: kept });
	for (let index = 0; index < count; index++)
		await openSession(before.store, before.client, {
			sessionId: `s${index}`,
			provider: 'anthropic',
			model: 'claude-sonnet-4',
		});
	await before.store.closeAll();
	const reads = { total: 0, now: 0, most: 0 };
	const read: JournalStore = { ...kept, ...over(kept) };
	const journals: JournalStore = {
		...read,
		async scan(...args) {
			reads.total++;
			reads.most = Math.max(reads.most, ++reads.now);
			await new Promise((resolve) => setImmediate(resolve));
			try {
				return await read.scan(...args);
			} finally {
				reads.now--;
			}
		},
	};
	return { store: testWorld({ journals }).store, reads };
}

const sized = (size: number) => (journals: JournalStore) => ({
	list: async (): Promise<JournalEntry[]> => (await journals.list()).map((entry) => ({ ...entry, size })),
});

describe('listing sessions', () => {
	it('a list of sessions reads each journal once for concurrent callers', async () => {
		const { store, reads } = await listed(40);
		const lists = await Promise.all(Array.from({ length: 20 }, () => store.list()));
		for (const list of lists) expect(list).toHaveLength(40);
		expect(reads.total).toBe(40);
	});

	it('a list of sessions reads small journals in parallel, and large ones one by one', async () => {
		const small = await listed(40, sized(1000));
		await small.store.list();
		expect(small.reads.most).toBe(16);
		const large = await listed(40, sized(3_000_000));
		expect(await large.store.list()).toHaveLength(40);
		expect(large.reads.most).toBe(1);
	});

	it('a list of sessions includes a session again once its journal can be read', async () => {
		let fails = true;
		const { store } = await listed(3, (journals) => ({
			scan: (id, ...args) =>
				fails && id === 's1' ? Promise.reject(new Error('EMFILE')) : journals.scan(id, ...args),
		}));
		expect(await store.list()).toHaveLength(2);
		fails = false;
		expect(await store.list()).toHaveLength(3);
	});
});
