import { expect, it } from 'vitest';
import { appendMessages } from '../../server/session/append.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { userSays } from '../support/messages.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

it('a session is closed to free memory only after some seconds without a use', async () => {
	let now = 1_000;
	const test = testWorld({ now: () => now });
	await sessionWith(test, [userSays('hi')]);
	now += 5_000;
	await test.store.closeIdle(1);
	expect(test.store.listOpen()).toHaveLength(1);
	await test.store.run('s', test.client, historyOf);
	now += 9_000;
	await test.store.closeIdle(1);
	expect(test.store.listOpen()).toHaveLength(1);
	now += 1_000;
	await test.store.closeIdle(1);
	expect(test.store.listOpen()).toEqual([]);
});

it('the least recently used sessions are closed first, and opened again when they are used', async () => {
	let now = 1_000;
	const test = testWorld({ now: () => now });
	for (const sessionId of ['a', 'b', 'c']) {
		await openSession(test.store, test.client, { sessionId });
		await test.store.run(sessionId, test.client, (session) =>
			appendMessages(session, [userSays('hi')], 'contextd', { client: test.client }),
		);
	}
	await test.store.run('a', test.client, historyOf);
	now += 10_000;
	await test.store.closeIdle(2);
	expect(test.store.listOpen().map(({ id }) => id)).toEqual(['a']);
	expect(await test.store.run('b', test.client, historyOf)).toHaveLength(1);
});
