import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { commit } from '../../server/session/commit.ts';
import type { Session } from '../../server/session/session.ts';
import { updateSession } from '../../server/session/store/sessions.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { recordsOf, sessionWith, testWorld } from '../support/world.ts';

const other = { sessionId: 's', provider: 'openai', model: 'gpt-4o' };

/** Recounts a session for another model in several records, and closes it. Returns its counts and the path of its journal. */
async function recounted() {
	const folder = freshFolder();
	const test = testWorld({ journals: createFileJournals({ directory: folder, logger: silentLogger }) });
	const session = await sessionWith(test, shortMessages(0, 25_000));
	const before = countsOf(session);
	await updateSession(test.store, test.client, other);
	const counts = countsOf(session);
	expect(counts.rows).not.toEqual(before.rows);
	await test.store.closeAll();
	const sessions = join(folder, 'sessions');
	const [name = ''] = readdirSync(sessions).filter((one) => one.endsWith('.jsonl'));
	return { test, counts, path: join(sessions, name) };
}

function countsOf({ state }: Session) {
	return { measure: state.measure, rows: state.rows.map((row) => row.counts), totals: state.totals };
}

/** Truncates a journal before the record that begins with this text. */
function cutBefore(path: string, found: string): void {
	const journal = readFileSync(path);
	const end = journal.lastIndexOf('\n', journal.indexOf(found)) + 1;
	expect(end).toBeGreaterThan(0);
	writeFileSync(path, journal.subarray(0, end));
}

describe('recounting a long session for another model', () => {
	afterEach(removeFolders);

	it('a recounted session has the same counts after a restart, and is recounted only once', async () => {
		const { test, counts } = await recounted();
		const store = await test.restart();
		expect(await store.run('s', test.client, countsOf)).toEqual(counts);
		const kinds = (await recordsOf(test)).map(({ t }) => t).filter((t) => t !== 'append');
		expect(kinds).toEqual(['open', 'set', 'recounted', 'recounted', 'recount']);
	});

	it('a session is recounted if the daemon died between two parts', async () => {
		const { test, counts, path } = await recounted();
		for (const found of ['"record":{"t":"recount"', '"record":{"t":"recounted","from":10000']) {
			cutBefore(path, found);
			const store = await test.restart();
			expect(await store.run('s', test.client, countsOf), found).toEqual(counts);
			await store.closeAll();
		}
	});

	it('a session has its first counts if the daemon died in a recount that is no longer needed', async () => {
		const folder = freshFolder();
		const test = testWorld({ journals: createFileJournals({ directory: folder, logger: silentLogger }) });
		const before = countsOf(await sessionWith(test, shortMessages(0, 12_000)));
		test.configure({ estimator: 'calibrated' });
		expect(await (await test.restart()).run('s', test.client, countsOf)).not.toEqual(before);
		await test.store.closeAll();
		const sessions = join(folder, 'sessions');
		const [name = ''] = readdirSync(sessions).filter((one) => one.endsWith('.jsonl'));
		cutBefore(join(sessions, name), '"record":{"t":"recount"');
		test.configure({ estimator: 'heuristic' });
		expect(await (await test.restart()).run('s', test.client, countsOf)).toEqual(before);
	});

	it('a session is recounted if a part is damaged', async () => {
		const { test, counts, path } = await recounted();
		const journal = readFileSync(path);
		journal[journal.indexOf('"record":{"t":"recounted","from":10000') + 60] = 0;
		writeFileSync(path, journal);
		const store = await test.restart();
		expect(await store.run('s', test.client, countsOf)).toEqual(counts);
	});

	it('a recount that is stored in one record is read', async () => {
		const test = testWorld();
		const session = await sessionWith(test, shortMessages(0, 25_000));
		const rows = session.state.rows.map(() => ({ text: 7, calls: 0, images: 0 }));
		const { measure, request } = session.state;
		await commit(session, { t: 'recount', measure, rows, shown: [], request });
		const counts = countsOf(session);
		expect(counts.totals.tail).toMatchObject({ user: 7 * 6250 });
		const store = await test.restart();
		expect(await store.run('s', test.client, countsOf)).toEqual(counts);
	});
});
