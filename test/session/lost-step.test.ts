import { afterEach, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { StoredRecord } from '../../server/session/ports.ts';
import { undoStep } from '../../server/session/steps.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { userSays } from '../support/messages.ts';
import { conversation } from '../support/talk.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';

afterEach(removeFolders);

it('a session opens although its journal holds the undo of a compaction, but not the compaction', async () => {
	const journals = createFileJournals({ directory: freshFolder(), logger: silentLogger });
	const test = testWorld({ journals });
	const session = await sessionWith(test, conversation(8, 120));
	await compactNow(session, { targetTokens: 300 });
	await undoStep(session, session.client);
	await appendMessages(session, [userSays('behind')], 'contextd', { client: session.client });
	const whole = (await historyOf(session)).map(({ content }) => content);
	await test.store.closeAll();
	// Earlier versions repaired a damaged journal in this way.
	const records: StoredRecord[] = [];
	const reader = await journals.openReadOnly('s', (record) => records.push(record));
	const kept = records.filter(({ value }) => (value as { t: string }).t !== 'step');
	expect(kept.length).toBe(records.length - 1);
	const texts = await Promise.all(kept.map(({ bodies }) => reader.read(bodies)));
	await reader.close();
	await journals.delete('s');
	const journal = await journals.create('s');
	for (const [index, { value }] of kept.entries()) journal.append(value, texts[index] as string[]);
	await journal.close();
	for (let opening = 1; opening <= 2; opening++) {
		const store = await test.restart();
		const found = await store.run('s', test.client, historyOf);
		expect(found.map(({ content }) => content)).toEqual(whole);
		await store.closeAll();
	}
});
