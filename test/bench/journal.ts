/** Speed of the journal: appending, opening, reading. `npm run bench -- journal`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { BodyRef, Journal } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';

const records = 100_000;
const directory = await mkdtemp(join(tmpdir(), 'journal-bench-'));
const store = createFileJournals({ directory, logger: silentLogger });
const body = JSON.stringify({ role: 'assistant', content: 'x'.repeat(370) });

/** Appends a record of some 300 bytes with a body of some 400. */
function appendOne(journal: Journal, i: number): Promise<void> {
	const row = {
		id: `message-${i}`,
		role: 'assistant',
		counts: { text: 120, calls: 30, images: 0 },
		calls: [{ id: `call-${i}`, name: 'read_file' }],
		digest: 'abcdef0123456789abcdef0123456789',
		chars: 390,
		body: 0,
		at: 1_700_000_000_000 + i,
	};
	return journal.append({ t: 'append', rows: [row] }, [body]).durable;
}

async function timed(name: string, work: () => Promise<number>): Promise<void> {
	const started = performance.now();
	const count = await work();
	const milliseconds = performance.now() - started;
	const rate = Math.round((count / milliseconds) * 1000);
	console.log(`${name}: ${count} in ${milliseconds.toFixed(0)} ms, ${rate}/s`);
}

const journal = await store.create('bench');
await timed('appends, each after the other is durable', async () => {
	for (let i = 0; i < 1000; i++) await appendOne(journal, i);
	return 1000;
});
await timed('appends, 64 at a time', async () => {
	let next = 1000;
	const client = async (): Promise<void> => {
		while (next < 21_000) await appendOne(journal, next++);
	};
	await Promise.all(Array.from({ length: 64 }, client));
	return 20_000;
});
await timed('appends, all at once', async () => {
	await Promise.all(Array.from({ length: records - 21_000 }, (_, i) => appendOne(journal, 21_000 + i)));
	return records - 21_000;
});
await journal.close();

for (let round = 0; round < 5; round++) {
	const bodies: BodyRef[] = [];
	let opened: Journal | undefined;
	await timed('records opened', async () => {
		opened = await store.open('bench', (record) => bodies.push(...record.bodies));
		return bodies.length;
	});
	if (round === 4) await timed('bodies read', async () => (await opened!.read(bodies)).length);
	await opened?.close();
}
await rm(directory, { recursive: true });
