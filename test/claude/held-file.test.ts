import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { belongsToJournal, readHeldFile } from '../../client-claude/src/viewStore.ts';
import { createHeldViews } from '../../server/node/heldViews.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

afterEach(removeFolders);

const journal = { generation: 7, records: 12 };

async function written(view: unknown): Promise<string> {
	const folder = freshFolder();
	const { path } = await createHeldViews(() => folder).write(
		{ sessionId: 'claude:s', journal },
		JSON.stringify(view),
	);
	return readFile(path, 'utf8');
}

describe('files of held views', () => {
	it('a file of a held view is read with the position of the journal', async () => {
		const view = { decisions: [{ shown: ['größer \u2028 \ud83d\ude00'] }] };
		expect(await readHeldFile(await written(view))).toEqual({
			sessionId: 'claude:s',
			journal,
			view,
			checksum: expect.any(String),
		});
	});

	it('a file of a held view that was changed, truncated or has another version is ignored', async () => {
		const text = await written({ a: 'words' });
		for (const other of [
			'',
			text.replace('words', 'wards'),
			text.slice(0, -5),
			text.replace('"version":1', '"version":2'),
		])
			expect(await readHeldFile(other)).toBeUndefined();
	});

	it('a held view belongs only to the same journal at or after its position', () => {
		expect(belongsToJournal(journal, { generation: 7, records: 12 })).toBe(true);
		expect(belongsToJournal(journal, { generation: 7, records: 40 })).toBe(true);
		expect(belongsToJournal(journal, { generation: 7, records: 11 })).toBe(false);
		expect(belongsToJournal(journal, { generation: 8, records: 40 })).toBe(false);
	});
});
