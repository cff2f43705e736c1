import { expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import { memoryJournalStore } from '../../server/node/journal/memoryJournal.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { Operation } from '../../server/session/holders.ts';
import type { Records } from '../../server/session/ports.ts';
import type { Session } from '../../server/session/session.ts';
import { createSessionStore } from '../../server/session/store/store.ts';
import { userSays } from '../support/messages.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

const silent = new Failure('SessionLocked', 'the holder has not answered for 5 s', { pid: 1 });

/** Two stores over the same journals, the second of which has to ask the first. */
async function holderAndAsker(answer: 'written' | 'nothing') {
	let current: Operation | undefined;
	/** Writes that the holder does when it wakes. */
	const asleep: (() => Promise<unknown>)[] = [];
	let isAwake = false;
	const journals = memoryJournalStore();
	const holder = testWorld({ journals, operation: () => current });
	const held = await sessionWith(holder, [userSays('before')]);
	const asOperation = async <T>(id: string, work: () => Promise<T>, records?: Records): Promise<T> => {
		current = { id, written: new Map(), confirm: () => undefined, records };
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
				const work = () =>
					asOperation(operation, () => appendMessages(held, [userSays('asked')], 'contextd'));
				if (isAwake) return work();
				if (answer === 'written') await work();
				else asleep.push(work);
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
	const wake = async () => {
		isAwake = true;
		for (const work of asleep) await work();
	};
	return { held, write, wake };
}

const said = async (session: Session) => (await historyOf(session)).map(({ content }) => content);

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

it('a write that was done after it had failed is not done again when it is asked for again', async () => {
	const { held, write, wake } = await holderAndAsker('nothing');
	await expect(write()).rejects.toBe(silent);
	await wake();
	expect(await said(held)).toEqual(['before', 'asked']);
	expect(await write()).toMatchObject({ messageCount: 2 });
	expect(await said(held)).toEqual(['before', 'asked']);
	// That was the answer to the failed one: what comes now is another.
	await write();
	expect(await said(held)).toEqual(['before', 'asked', 'asked']);
});
