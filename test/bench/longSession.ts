/**
 * How long a session of a million messages keeps others waiting, in processor time, and how long it takes.
 * `npm run bench -- longSession`; the number of messages may follow.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import { appendMessages } from '../../server/session/append.ts';
import { compactSession } from '../../server/session/compaction/request.ts';
import { renderHistory } from '../../server/session/history.ts';
import { statsOf } from '../../server/session/stats.ts';
import { rewind, undo } from '../../server/session/steps.ts';
import { silentLogger } from '../support/logger.ts';
import { longestBlock, shortMessages } from '../support/longestBlock.ts';
import { sessionWith, testWorld, unwatched } from '../support/world.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const directory = await mkdtemp(join(tmpdir(), 'long-session-'));

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
	const started = performance.now();
	const block = await longestBlock(work);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	console.log(`${name}: ${seconds} s, others waited ${Math.round(block)} ms at most`);
}

const test = testWorld({ journals: fileJournalStore({ directory, logger: silentLogger }) });
const session = await sessionWith(test, []);
await timed(`append of ${count} messages`, async () => {
	for (let index = 0; index < count; index += 1000)
		await appendMessages(session, shortMessages(index, 1000), 'contextd');
});
await timed('stats', () => statsOf(session));
await timed('history', () => renderHistory(session));
await timed('compaction', () => compactSession(session, {}, unwatched));
await timed('undo', () => undo(session));
await timed('rewind', () => rewind(session, `m${count - 1000}`));
await timed('compaction again', () => compactSession(session, {}, unwatched));
await timed('open', async () => (await test.restart()).run('s', () => undefined));
await test.store.closeAll();
await rm(directory, { recursive: true, force: true });
