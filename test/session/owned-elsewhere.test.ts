import { beforeEach, describe, expect, it } from 'vitest';
import { memoryJournalStore } from '../../server/node/journal/memoryJournal.ts';
import { readOnlyJournals } from '../../server/node/journal/readOnlyJournals.ts';
import { appendMessages } from '../../server/session/append.ts';
import { statsOf } from '../../server/session/stats.ts';
import { checkpoint, pin, rewind, undo } from '../../server/session/steps.ts';
import { openSession, updateSession } from '../../server/session/store/sessions.ts';
import type { SessionStore } from '../../server/session/store/store.ts';
import { userSays } from '../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../support/world.ts';

const why = 'process 7 owns the state folder';

/** The store of the process that owns the sessions, and that of another process on the same folder. */
let owner: SessionStore;
let other: SessionStore;

beforeEach(async () => {
	const journals = memoryJournalStore();
	const owning = testWorld({ journals });
	await sessionWith(owning, [userSays('one'), userSays('two')]);
	owner = owning.store;
	other = testWorld({ journals: readOnlyJournals(journals, why) }).store;
});

describe('a session that another process owns', () => {
	it('is opened to be read, and says who owns it', async () => {
		const opened = await openSession(other, { sessionId: 's', model: 'another' });
		expect(opened).toMatchObject({ created: false, messageCount: 2, model: 'claude-sonnet-4' });
		expect(opened.readOnly).toContain(why);
		expect(await other.list()).toMatchObject([{ sessionId: 's', messageCount: 2 }]);
	});

	it('shows what its owner appends', async () => {
		const count = () => other.run('s', async (session) => (await statsOf(session))?.messageCount);
		expect(await count()).toBe(2);
		await owner.run('s', (session) => appendMessages(session, [userSays('three')], 'contextd'));
		expect(await count()).toBe(3);
		expect(await other.list()).toMatchObject([{ messageCount: 3 }]);
		await owner.delete('s');
		await expect(count()).rejects.toMatchObject({ kind: 'SessionNotFound' });
	});

	it('can be read while a later call finds it outdated', async () => {
		const history = other.run('s', async (session) => {
			await owner.run('s', (own) => appendMessages(own, [userSays('three')], 'contextd'));
			await other.run('s', () => undefined);
			return historyOf(session);
		});
		expect(await history).toHaveLength(2);
	});

	it('refuses every write with SessionLocked', async () => {
		const locked = { kind: 'SessionLocked', message: expect.stringContaining(why) };
		const writes: ((store: SessionStore) => Promise<unknown>)[] = [
			(store) => store.run('s', (session) => appendMessages(session, [userSays('x')], 'contextd')),
			(store) => store.run('s', (session) => appendMessages(session, [], 'contextd')),
			(store) => updateSession(store, { sessionId: 's', title: 'x' }),
			(store) => store.run('s', (session) => rewind(session, '')),
			(store) => store.run('s', (session) => compactNow(session)),
			(store) => store.run('s', (session) => undo(session)),
			(store) => store.run('s', (session) => checkpoint(session)),
			(store) => store.run('s', (session) => pin(session, { uris: ['file:///a'], pinned: true })),
			(store) => store.delete('s'),
			(store) => store.delete('none'),
			(store) => openSession(store, { sessionId: 'new' }),
		];
		for (const write of writes) await expect(write(other)).rejects.toMatchObject(locked);
		expect(await owner.run('s', historyOf)).toHaveLength(2);
	});

	it('can be previewed', async () => {
		expect(await other.run('s', (session) => previewNow(session, { targetTokens: 1 }))).toMatchObject({
			outcome: expect.any(String),
		});
	});
});
