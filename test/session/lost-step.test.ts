import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import { appendMessages } from '../../server/session/append.ts';
import { undo } from '../../server/session/steps.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { userSays } from '../support/messages.ts';
import { conversation } from '../support/talk.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';

afterEach(removeFolders);

it('a session whose compaction is lost, but not the undo of it, is opened again and again', async () => {
	const folder = freshFolder();
	const test = testWorld({ journals: fileJournalStore({ directory: folder, logger: silentLogger }) });
	const session = await sessionWith(test, conversation(8, 120));
	await compactNow(session, { targetTokens: 300 });
	await undo(session);
	await appendMessages(session, [userSays('behind')], 'contextd');
	const whole = (await historyOf(session)).map(({ content }) => content);
	await test.store.closeAll();
	const [name = ''] = readdirSync(join(folder, 'sessions')).filter((one) => one.endsWith('.jsonl'));
	const path = join(folder, 'sessions', name);
	const bytes = readFileSync(path);
	const at = bytes.indexOf('"record":{"t":"step"');
	expect(at).toBeGreaterThan(0);
	bytes[at + 12] = 1;
	writeFileSync(path, bytes);
	for (let opening = 1; opening <= 3; opening++) {
		const store = await test.restart();
		const found = await store.run('s', historyOf);
		expect(found.map(({ content }) => content)).toEqual(whole);
		await store.closeAll();
	}
});
