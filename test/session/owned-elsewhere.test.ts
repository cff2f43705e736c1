import { beforeEach, describe, expect, it } from 'vitest';
import { createOwnedJournals } from '../../server/node/folderOwner.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { Session } from '../../server/session/session.ts';
import { readStats } from '../../server/session/stats.ts';
import { createCheckpoint, rewindSession, setPins, undoStep } from '../../server/session/steps.ts';
import { openSession, updateSession } from '../../server/session/store/sessions.ts';
import { userSays } from '../support/messages.ts';
import {
	compactNow,
	historyOf,
	previewNow,
	sessionWith,
	type TestWorld,
	testWorld,
} from '../support/world.ts';

const why = 'process 7 owns the state folder';

/** The process that owns the sessions. */
let owner: TestWorld;
/** Another process on the same state folder. */
let other: TestWorld;

beforeEach(async () => {
	const journals = createMemoryJournals();
	owner = testWorld({ journals });
	await sessionWith(owner, [userSays('one'), userSays('two')]);
	other = testWorld({ journals: createOwnedJournals(journals, async () => why) });
});

function run<T>({ store, client }: TestWorld, work: (session: Session) => T | Promise<T>): Promise<T> {
	return store.run('s', client, work);
}

const append = (session: Session, texts: string[]) =>
	appendMessages(
		session,
		texts.map((text) => userSays(text)),
		'contextd',
		{ client: session.client },
	);

describe('a session that another process owns', () => {
	it('a session that another process owns opens read-only, and names its owner', async () => {
		const opened = await openSession(other.store, other.client, { sessionId: 's', model: 'another' });
		expect(opened).toMatchObject({ created: false, messageCount: 2, model: 'claude-sonnet-4' });
		expect(opened.readOnly).toContain(why);
		expect(await other.store.list()).toMatchObject([{ sessionId: 's', messageCount: 2 }]);
	});

	it('a session that another process owns shows what its owner appends', async () => {
		const count = () => run(other, async (session) => (await readStats(session, other.client))?.messageCount);
		expect(await count()).toBe(2);
		await run(owner, (session) => append(session, ['three']));
		expect(await count()).toBe(3);
		expect(await other.store.list()).toMatchObject([{ messageCount: 3 }]);
		await owner.store.delete('s');
		await expect(count()).rejects.toMatchObject({ kind: 'SessionNotFound' });
	});

	it('a running call keeps its state of the session while a later call finds it outdated', async () => {
		const history = run(other, async (session) => {
			await run(owner, (own) => append(own, ['three']));
			await run(other, () => undefined);
			return historyOf(session);
		});
		expect(await history).toHaveLength(2);
	});

	it('a session that another process owns refuses every write with SessionLocked', async () => {
		const { store, client } = other;
		const writes: (() => Promise<unknown>)[] = [
			() => run(other, (session) => append(session, ['x'])),
			() => run(other, (session) => append(session, [])),
			() => updateSession(store, client, { sessionId: 's', title: 'x' }),
			() => run(other, (session) => rewindSession(session, '')),
			() => run(other, (session) => compactNow(session)),
			() => run(other, (session) => undoStep(session, client)),
			() => run(other, (session) => createCheckpoint(session, client)),
			() => run(other, (session) => setPins(session, { uris: ['file:///a'], pinned: true })),
			() => store.delete('s'),
			() => store.delete('none'),
			() => openSession(store, client, { sessionId: 'new' }),
		];
		const locked = { kind: 'SessionLocked', message: expect.stringContaining(why) };
		for (const write of writes) await expect(write()).rejects.toMatchObject(locked);
		expect(await run(owner, historyOf)).toHaveLength(2);
	});

	it('a session that another process owns can be previewed', async () => {
		expect(await run(other, (session) => previewNow(session, { targetTokens: 1 }))).toMatchObject({
			outcome: expect.any(String),
		});
	});
});
