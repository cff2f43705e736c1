import { expect, it } from 'vitest';
import { userSays } from '../support/messages.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

it('closes a session to free memory only after some seconds without a use', async () => {
	let now = 1_000;
	const test = testWorld({ now: () => now });
	await sessionWith(test, [userSays('hi')]);
	now += 5_000;
	await test.store.closeIdle(1);
	expect(test.store.open()).toHaveLength(1);
	await test.store.run('s', test.client, historyOf);
	now += 9_000;
	await test.store.closeIdle(1);
	expect(test.store.open()).toHaveLength(1);
	now += 1_000;
	await test.store.closeIdle(1);
	expect(test.store.open()).toEqual([]);
});
