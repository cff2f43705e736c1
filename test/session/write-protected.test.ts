import { describe, expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import { readStats } from '../../server/session/stats.ts';
import { openSession } from '../../server/session/store/sessions.ts';

import { userSays } from '../support/messages.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

describe('sessions on a write-protected or full disk', () => {
	it.each(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'])(
		'a session that cannot be written opens read-only with the reason %s',
		async (code) => {
			const journals = createMemoryJournals();
			let isProtected = false;
			const test = testWorld({
				journals: {
					...journals,
					open(...order) {
						if (!isProtected) return journals.open(...order);
						throw new Failure('StorageFailed', `cannot open: ${code}`, { code });
					},
				},
			});
			await sessionWith(test, [userSays('one'), userSays('two')]);
			const store = await test.restart();
			isProtected = true;
			expect(await store.run('s', test.client, historyOf)).toHaveLength(2);
			expect(await store.run('s', test.client, (session) => readStats(session, test.client))).toMatchObject({
				messageCount: 2,
			});
			await expect(
				store.run('s', test.client, (session) =>
					appendMessages(session, [userSays('three')], 'contextd', { client: test.client }),
				),
			).rejects.toMatchObject({
				kind: 'ReadOnlySession',
			});
			expect(await openSession(store, test.client, { sessionId: 's', title: 'new' })).toMatchObject({
				messageCount: 2,
				readOnly: `session "s" can only be read: cannot open: ${code}`,
			});
			isProtected = false;
			const reopened = await openSession(store, test.client, { sessionId: 's' });
			expect(reopened).toMatchObject({ messageCount: 2 });
			expect(reopened).not.toHaveProperty('readOnly');
			await store.run('s', test.client, (session) =>
				appendMessages(session, [userSays('three')], 'contextd', { client: test.client }),
			);
		},
	);

	it('a session that could not even be read is writable once its journal can be opened', async () => {
		const journals = createMemoryJournals();
		let isClosed = false;
		const refused = () => new Failure('StorageFailed', 'cannot open: EACCES', { code: 'EACCES' });
		const test = testWorld({
			journals: {
				...journals,
				open: (...order) => (isClosed ? Promise.reject(refused()) : journals.open(...order)),
				openReadOnly: (...order) => (isClosed ? Promise.reject(refused()) : journals.openReadOnly(...order)),
			},
		});
		await sessionWith(test, [userSays('one')]);
		const store = await test.restart();
		isClosed = true;
		await expect(store.run('s', test.client, historyOf)).rejects.toMatchObject({ kind: 'StorageFailed' });
		isClosed = false;
		await store.run('s', test.client, (session) =>
			appendMessages(session, [userSays('two')], 'contextd', { client: test.client }),
		);
		expect(await store.run('s', test.client, historyOf)).toHaveLength(2);
	});

	it('a session does not open read-only after a failure of another kind', async () => {
		const journals = createMemoryJournals();
		const test = testWorld({
			journals: {
				...journals,
				async open() {
					throw new Failure('StorageFailed', 'the disk is broken', { code: 'EIO' });
				},
			},
		});
		await sessionWith({ ...test }, [userSays('one')]).catch(() => undefined);
		await expect(test.store.run('other', test.client, historyOf)).rejects.toMatchObject({
			message: 'the disk is broken',
		});
	});
});
