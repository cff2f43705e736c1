import { expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import { memoryJournalStore } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { Operation } from '../../server/session/operation.ts';
import { createSessionStore } from '../../server/session/store.ts';
import { userSays } from '../support/messages.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

const silent = new Failure('SessionLocked', 'the holder has not answered for 5 s', { pid: 1 });

/** Two stores over the same journals, the second of which has to ask the first. */
async function holderAndAsker(answer: 'written' | 'nothing') {
	let current: Operation | undefined;
	const journals = memoryJournalStore();
	const holder = testWorld({ journals, operation: () => current });
	const held = await sessionWith(holder, [userSays('before')]);
	const asOperation = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
		current = { id, written: new Map(), confirm: () => undefined };
		try {
			return await work();
		} finally {
			current = undefined;
		}
	};
	const locked = new Failure('SessionLocked', 'held by another process', { isAsked: true, pid: 1 });
	const asker = createSessionStore({
		...holder.world,
		journals: { ...journals, open: () => Promise.reject(locked) },
		asOperation,
		holders: {
			async call(_, { operation }) {
				if (answer === 'written')
					await asOperation(operation, () => appendMessages(held, [userSays('asked')], 'contextd'));
				throw silent;
			},
		},
	});
	const write = () =>
		asker.write(
			's',
			{ method: 'session/append', params: {}, signal: new AbortController().signal },
			(session) => appendMessages(session, [userSays('asked')], 'contextd'),
		);
	return { held, write };
}

it('a write whose record was written before its holder fell silent is answered from the record', async () => {
	const { held, write } = await holderAndAsker('written');
	expect(await write()).toMatchObject({ messageIds: [expect.stringMatching(/^m-.*-0$/)], messageCount: 2 });
	expect((await historyOf(held)).map(({ content }) => content)).toEqual(['before', 'asked']);
});

it('a write of which nothing was written fails, and names the holder', async () => {
	const { held, write } = await holderAndAsker('nothing');
	await expect(write()).rejects.toBe(silent);
	expect(await historyOf(held)).toHaveLength(1);
});
