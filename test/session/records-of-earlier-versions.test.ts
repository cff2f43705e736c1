import { expect, it } from 'vitest';
import { userSays } from '../support/messages.ts';
import { historyOf, recordsOf, sessionWith, testWorld } from '../support/world.ts';

it('records that name the write of another process are read', async () => {
	const test = testWorld();
	await sessionWith(test, [userSays('one'), userSays('two')]);
	const before = await test.store.run('s', test.client, historyOf);
	const bodies = await test.store.run('s', test.client, ({ reader, state }) =>
		reader.read(state.rows.map(({ ref }) => ref)),
	);
	const records = await recordsOf(test);
	const old = testWorld();
	const journal = await old.world.journals.create('s');
	for (const record of records) {
		const op = { id: '00000000-0000-4000-8000-000000000000', answer: { hidden: [] } };
		const texts = record.t === 'append' ? bodies.map((text) => text ?? '') : [];
		journal.append({ ...record, op }, texts);
	}
	await journal.close();
	expect(await old.store.run('s', old.client, historyOf)).toEqual(before);
});
