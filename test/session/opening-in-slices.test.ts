import { afterEach, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import { createDelivery } from '../../server/node/journal/replay.ts';
import { createFileTracker } from '../../server/session/files/tracker.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { sessionWith, testWorld } from '../support/world.ts';

/** Turns of the event loop that pass while something is done. */
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

describe('the opening of a long session', () => {
	afterEach(removeFolders);

	it('lets others work while the files that it names are gathered', async () => {
		const nobody = Promise.reject(new Error('nobody reads here'));
		nobody.catch(() => undefined);
		const files = createFileTracker({
			watcher: {
				watch: async () => undefined,
				unwatch: () => undefined,
				look: () => undefined,
				on: () => undefined,
				close: async () => undefined,
			},
			reader: {
				read: () => nobody,
				locate: () => nobody,
				changedAt: async () => undefined,
				facts: async () => undefined,
			},
			folders: () => [],
			now: () => 1,
			log: silentLogger,
			changed: () => undefined,
			suspected: () => undefined,
		});
		const journals = fileJournalStore({ directory: freshFolder(), logger: silentLogger });
		let pauses = 0;
		const pause = async (): Promise<void> => void pauses++;
		const test = testWorld({ journals, files, pause });
		await sessionWith(test, shortMessages(0, 20_000));
		const store = await test.restart();
		pauses = 0;
		expect(await store.run('s', test.client, ({ state }) => state.rows.length)).toBe(20_000);
		expect(pauses).toBeGreaterThanOrEqual(4);
	});

	it('lets others work between two records that take long to be applied', async () => {
		const records = Array.from({ length: 6 }, (_, value) => ({ value, bodies: [] }));
		const taken: unknown[] = [];
		const deliver = createDelivery(({ value }) => {
			taken.push(value);
			busyFor(15);
		});
		// One of the turns is that of the work itself.
		expect(await turnsDuring(() => deliver(records))).toBeGreaterThanOrEqual(records.length);
		expect(taken).toEqual([0, 1, 2, 3, 4, 5]);
	});
});
