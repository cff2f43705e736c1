import { describe, expect, it } from 'vitest';
import { appendMessages, reportUsage } from '../../server/session/append.ts';
import { prepare } from '../../server/session/compaction/prepare.ts';
import { recover } from '../../server/session/compaction/recover.ts';
import type { Operation } from '../../server/session/holders.ts';
import type { Session } from '../../server/session/session.ts';
import { checkpoint, checkpointsOf, pin, rewind, rollback, undo } from '../../server/session/steps.ts';
import { shortMessages } from '../support/longestBlock.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { conversation } from '../support/talk.ts';
import {
	compactNow,
	historyOf,
	recordsOf,
	sessionWith,
	type TestWorld,
	testWorld,
	unwatched,
} from '../support/world.ts';

interface Asked extends TestWorld {
	/** Does something as the work on a write with that id. */
	as<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/** A world in which writes of other processes are worked on. */
function askedWorld(): Asked {
	let current: Operation | undefined;
	const test = testWorld({ operation: () => current });
	return Object.assign(test, {
		async as<T>(id: string, work: () => Promise<T>): Promise<T> {
			current = { id, written: new Map(), confirm: () => undefined };
			try {
				return await work();
			} finally {
				current = undefined;
			}
		},
	});
}

/** The session as the next holder finds it. */
async function reopened(test: Asked): Promise<Session> {
	const store = await test.restart();
	return store.run('s', (session) => session);
}

const writes: [string, (session: Session) => Promise<unknown>][] = [
	[
		'an append without ids',
		(session) => appendMessages(session, [userSays('new'), userSays('new')], 'contextd'),
	],
	[
		'an append in a format of a provider',
		(session) => appendMessages(session, [{ role: 'user', content: 'new' }], 'openai'),
	],
	['a compaction', (session) => compactNow(session)],
	['an undo of the newest step', (session) => undo(session)],
	['a rewind', (session) => rewind(session, 'm4')],
	['a checkpoint', (session) => checkpoint(session, 'here')],
	[
		'a rollback',
		async (session) => {
			const [first] = checkpointsOf(session.state);
			return rollback(session, first?.checkpointId ?? '');
		},
	],
	['a pin', (session) => pin(session, { messageIds: ['m2'], pinned: true })],
	['a usage figure', (session) => reportUsage(session, 'm1', { input: 500, output: 20 })],
	[
		'a prepared request',
		async (session) => {
			const { messages, compaction } = await prepare(
				session,
				{ request: { currentPrompt: 'x'.repeat(50_000) } },
				unwatched,
			);
			return { messages, compaction };
		},
	],
	[
		'a recovery',
		async (session) => {
			const error = 'prompt is too long: 12000 tokens > 10000 maximum';
			// The line about the learned limit comes only with the call that learned it.
			const { warnings: _, ...answer } = await recover(session, { error }, unwatched);
			return answer;
		},
	],
];

async function sessionToWriteTo(test: Asked): Promise<Session> {
	const session = await sessionWith(test, conversation(12, 2000), {
		contextWindow: 20_000,
		maxOutputTokens: 1000,
	});
	await checkpoint(session, 'start');
	await compactNow(session, { targetTokens: 5000 });
	await compactNow(session, { targetTokens: 3500 });
	await appendMessages(session, [userSays('and then'), assistantSays('so it was')], 'contextd');
	return session;
}

describe('a write that is asked for twice', () => {
	it.each(writes)('is done once, and answered alike: %s', async (_, write) => {
		const test = askedWorld();
		const session = await sessionToWriteTo(test);
		const answer = await test.as('op', () => write(session));
		const records = await recordsOf(test);
		expect(records.filter(({ op }) => op?.id === 'op')).not.toEqual([]);
		const history = await historyOf(session);
		const again = await reopened(test);
		expect(await test.as('op', () => write(again))).toEqual(answer);
		expect(await historyOf(again)).toEqual(history);
		const written = (await recordsOf(test)).filter(({ op }) => op);
		expect(written).toEqual(records.filter(({ op }) => op));
	});

	it('is answered alike though it took out more messages than its record names', async () => {
		const test = askedWorld();
		const session = await sessionWith(test, shortMessages(0, 12_000));
		const answer = await test.as('op', () => compactNow(session, { targetTokens: 20_000 }));
		expect(answer?.removed.length).toBeGreaterThan(10_000);
		const record = (await recordsOf(test)).find(({ op }) => op?.id === 'op');
		expect(JSON.stringify(record?.op).length).toBeLessThan(100_000);
		const again = await reopened(test);
		expect(await test.as('op', () => compactNow(again, { targetTokens: 20_000 }))).toEqual(answer);
	});

	it('is done again where another one asks for the same', async () => {
		const test = askedWorld();
		const session = await sessionToWriteTo(test);
		const before = session.state.rows.length;
		await test.as('one', () => appendMessages(session, [userSays('new')], 'contextd'));
		await test.as('two', () => appendMessages(session, [userSays('new')], 'contextd'));
		expect(session.state.rows.slice(before).map(({ id }) => id)).toEqual(['m-one-0', 'm-two-0']);
	});

	it('is not written where whoever asked waits no more', async () => {
		const test = askedWorld();
		const session = await sessionToWriteTo(test);
		const records = await recordsOf(test);
		test.world.operation = () => ({
			id: 'late',
			written: new Map(),
			confirm() {
				throw new Error('too late');
			},
		});
		await expect(undo(session)).rejects.toThrow('too late');
		test.world.operation = undefined;
		expect(await recordsOf(test)).toEqual(records);
	});
});

it('forgets the oldest of very many writes', async () => {
	const test = askedWorld();
	const session = await sessionToWriteTo(test);
	for (let index = 0; index < 600; index++) {
		await test.as(`op-${index}`, () => pin(session, { messageIds: ['m2'], pinned: index % 2 === 0 }));
	}
	expect(session.state.operations.size).toBe(500);
	expect([...session.state.operations.keys()].at(-1)).toBe('op-599');
});
