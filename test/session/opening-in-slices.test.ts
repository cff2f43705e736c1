import { afterEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { createRecordDelivery } from '../../server/node/journal/replay.ts';
import { FileTracker } from '../../server/session/files/tracker.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { sessionWith, testWorld } from '../support/world.ts';

/** Counts the turns of the event loop during a task. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
	let turns = 0;
	let isDone = false;
	const counting = (async () => {
		for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
	})();
	await work();
	isDone = true;
	await counting;
	return turns;
}

function busyFor(milliseconds: number): void {
	const end = performance.now() + milliseconds;
	while (performance.now() < end);
}

describe('opening a long session', () => {
	afterEach(removeFolders);

	it('opening a long session pauses while it gathers the files that the session names', async () => {
		const nobody = Promise.reject(new Error('nobody reads here'));
		nobody.catch(() => undefined);
		const files = new FileTracker({
			watcher: {
				watch: async () => undefined,
				unwatch: () => undefined,
				check: () => undefined,
				onChange: () => undefined,
				close: async () => undefined,
			},
			reader: {
				read: () => nobody,
				locate: () => nobody,
				readChangeTime: async () => undefined,
				readFacts: async () => undefined,
			},
			listFolders: () => [],
			now: () => 1,
			log: silentLogger,
			onFileChange: () => undefined,
			onStaleReadsChange: () => undefined,
		});
		const journals = createFileJournals({ directory: freshFolder(), logger: silentLogger });
		let pauses = 0;
		const pause = async (): Promise<void> => void pauses++;
		const test = testWorld({ journals, files, pause });
		await sessionWith(test, shortMessages(0, 20_000));
		const store = await test.restart();
		pauses = 0;
		expect(await store.run('s', test.client, ({ state }) => state.rows.length)).toBe(20_000);
		expect(pauses).toBeGreaterThanOrEqual(4);
	});

	it('opening a long session pauses between two records that are slow to apply', async () => {
		const records = Array.from({ length: 6 }, (_, value) => ({ value, bodies: [] }));
		const taken: unknown[] = [];
		const deliver = createRecordDelivery(({ value }) => {
			taken.push(value);
			busyFor(15);
		});
		// The task itself takes one of the turns.
		expect(await turnsDuring(() => deliver(records))).toBeGreaterThanOrEqual(records.length);
		expect(taken).toEqual([0, 1, 2, 3, 4, 5]);
	});
});
