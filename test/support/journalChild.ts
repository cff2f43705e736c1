/**
 * A process that appends to a journal until it is killed: `journalChild DIRECTORY SESSION`. It writes `open` to stdout, and
 * then a line with the number of each durable record.
 */

import { writeSync } from 'node:fs';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { Journal } from '../../server/session/ports.ts';
import { silentLogger } from './logger.ts';

const [directory = '', sessionId = ''] = process.argv.slice(2);
const store = createFileJournals({ directory, logger: silentLogger });
const say = (line: string | number): number => writeSync(1, `${line}\n`);

async function appendForEver(journal: Journal, first: number): Promise<void> {
	for (let number = first; ; number += 3) {
		const batch = [number, number + 1, number + 2].map(async (each) => {
			const body = JSON.stringify({ number: each, text: 'x'.repeat((each * 37) % 3000) });
			await journal.append({ number: each }, [body, '"end"']).durable;
			say(each);
		});
		await Promise.all(batch);
	}
}

let count = 0;
const journal = await store.open(sessionId, () => count++);
say('open');
await appendForEver(journal, count);
