import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { Journal, JournalStore } from '../../server/session/ports.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { importerOver } from '../support/transcripts.ts';
import { historyOf, testClient, testWorld } from '../support/world.ts';

afterEach(removeFolders);

async function failLater(): Promise<never> {
	await new Promise((resolve) => setTimeout(resolve, 5));
	throw new Error('no space left');
}

/** Returns journals whose next write fails after `failNext`. A failed journal accepts no further records. */
function failingJournals(): { journals: JournalStore; failNext(): void } {
	const memory = createMemoryJournals();
	let fails = false;
	function wrap(journal: Journal): Journal {
		let failed = false;
		return {
			...journal,
			append(value, bodies) {
				if (failed) throw new Failure('StorageFailed', 'the journal failed before');
				if (!fails) return journal.append(value, bodies);
				fails = false;
				failed = true;
				const nowhere = bodies.map(() => ({ offset: 0, length: 0, crc: 0 }));
				return { bodies: nowhere, durable: failLater() };
			},
		};
	}
	return {
		journals: {
			...memory,
			create: async (id) => wrap(await memory.create(id)),
			open: async (id, each) => wrap(await memory.open(id, each)),
		},
		failNext() {
			fails = true;
		},
	};
}

it('a failed write is reported, and the session continues from what is on disk', async () => {
	const { journals, failNext } = failingJournals();
	const { store } = testWorld({ journals });
	const append = (content: string) =>
		store.run('s', testClient, (session) =>
			appendMessages(session, [{ role: 'user', content }], 'contextd', { client: session.client }),
		);
	await openSession(store, testClient, { sessionId: 's' });
	await append('kept');
	failNext();
	const [lost, behind] = await Promise.allSettled([append('lost'), append('behind it')]);
	expect([lost.status, behind.status]).toEqual(['rejected', 'rejected']);
	expect((lost as PromiseRejectedResult).reason).toMatchObject({ kind: 'StorageFailed' });
	expect(await store.list()).toMatchObject([{ sessionId: 's', messageCount: 1 }]);
	await append('again');
	const history = await store.run('s', testClient, historyOf);
	expect(history.map(({ content }) => content)).toEqual(['kept', 'again']);
});

it('a record that is too large is refused, and the next one accepted', async () => {
	const memory = createMemoryJournals();
	const journals: JournalStore = {
		...memory,
		async create(id) {
			const journal = await memory.create(id);
			return {
				...journal,
				append(value, bodies) {
					if (bodies.some((body) => body.includes('huge'))) throw new Failure('TooLarge', 'too large');
					return journal.append(value, bodies);
				},
			};
		},
	};
	const { store } = testWorld({ journals });
	const append = (content: string) =>
		store.run('s', testClient, (session) =>
			appendMessages(session, [{ role: 'user', content }], 'contextd', { client: session.client }),
		);
	await openSession(store, testClient, { sessionId: 's' });
	await append('first');
	await expect(append('huge')).rejects.toMatchObject({ kind: 'TooLarge' });
	await append('second');
	const history = await store.run('s', testClient, historyOf);
	expect(history.map(({ content }) => content)).toEqual(['first', 'second']);
});

it('a session whose first record could not be written opens once there is space', async () => {
	const { journals, failNext } = failingJournals();
	const { store } = testWorld({ journals });
	failNext();
	await expect(openSession(store, testClient, { sessionId: 's' })).rejects.toMatchObject({
		kind: 'StorageFailed',
	});
	expect(await openSession(store, testClient, { sessionId: 's' })).toMatchObject({
		sessionId: 's',
		messageCount: 0,
	});
});

it('an import that cannot be written fails, and the next call imports all', async () => {
	const { journals, failNext } = failingJournals();
	const { store } = testWorld({ journals });
	const path = join(freshFolder(), 'session.jsonl');
	await writeFile(path, `${JSON.stringify({ role: 'user', content: 'first' })}\n`);
	await importerOver(store).importTranscript({ path });
	await appendFile(path, `${JSON.stringify({ role: 'user', content: 'more' })}\n`.repeat(400));
	failNext();
	await expect(importerOver(store).importTranscript({ path })).rejects.toMatchObject({
		kind: 'StorageFailed',
	});
	expect(await importerOver(store).importTranscript({ path })).toMatchObject({ messageCount: 401 });
});
