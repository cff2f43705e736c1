import { describe, expect, it } from 'vitest';
import { user } from '../support/messages.ts';
import { sessionWith, testClient, testWorld } from '../support/world.ts';

const turn = () => new Promise<void>((done) => setImmediate(done));

async function opened() {
	const test = testWorld();
	await sessionWith(test, [user('u', 'go')]);
	return test.store;
}

describe('calls to one session', () => {
	it('calls to a session that is still opening start in the order of their arrival', async () => {
		const store = await opened();
		const told: number[] = [];
		await Promise.all([0, 1, 2, 3].map((index) => store.run('s', testClient, () => void told.push(index))));
		expect(told).toEqual([0, 1, 2, 3]);
	});

	it('a quick call does not wait for a pending earlier one', async () => {
		const store = await opened();
		const told: string[] = [];
		const slow = store.run('s', testClient, async () => {
			told.push('slow starts');
			await turn();
			await turn();
			told.push('slow ends');
		});
		await store.run('s', testClient, () => void told.push('quick'));
		await slow;
		expect(told).toEqual(['slow starts', 'quick', 'slow ends']);
	});

	it('a call waits for one that holds the lane, until that one releases it or ends', async () => {
		const store = await opened();
		const told: string[] = [];
		const held = store.run('s', testClient, async (_, lane) => {
			lane.hold();
			await turn();
			told.push('held');
			lane.release();
			await turn();
			told.push('rest');
		});
		const failing = store.run('s', testClient, async (_, lane) => {
			lane.hold();
			told.push('failing');
			await turn();
			throw new Error('no');
		});
		const last = store.run('s', testClient, () => void told.push('last'));
		await expect(failing).rejects.toThrow('no');
		await Promise.all([held, last]);
		expect(told.filter((one) => one !== 'rest')).toEqual(['held', 'failing', 'last']);
	});

	it('a call runs after an earlier one failed', async () => {
		const store = await opened();
		const failing = store.run('s', testClient, () => {
			throw new Error('no');
		});
		const next = store.run('s', testClient, ({ state }) => state.view.length);
		await expect(failing).rejects.toThrow('no');
		expect(await next).toBe(1);
	});

	it('a call may run inside another call to the same session', async () => {
		const store = await opened();
		const told: string[] = [];
		await store.run('s', testClient, async () => {
			await store.run('s', testClient, () => void told.push('inner'));
			told.push('outer');
		});
		expect(told).toEqual(['inner', 'outer']);
	});
});

describe('calls to four sessions', () => {
	it('calls that each wait for a call to the next session do not deadlock', async () => {
		const { store } = testWorld();
		const ids = ['a', 'b', 'c', 'd'];
		const create = (sessionId: string) =>
			store.runOrCreate(
				{ sessionId, provider: 'anthropic', model: '', createdAt: 1 },
				testClient,
				() => undefined,
			);
		await Promise.all(ids.map(create));
		const done = await Promise.all(
			ids.map((id, index) =>
				store.run(id, testClient, async () => {
					await turn();
					return store.run(
						ids[(index + 1) % ids.length] ?? '',
						testClient,
						({ id: next }) => `${id} ${next}`,
					);
				}),
			),
		);
		expect(done).toEqual(['a b', 'b c', 'c d', 'd a']);
	});
});
