import { describe, expect, it } from 'vitest';
import { prefetchItems } from '../../client-claude/src/refusals.ts';

/** Returns a stream of three items, and a list of the items that were requested. */
function stream(fails = false) {
	const asked: string[] = [];
	async function* items(): AsyncGenerator<number, string> {
		try {
			for (const item of [1, 2, 3]) {
				asked.push(`item ${item}`);
				yield item;
			}
			if (fails) throw new Error('the connection broke');
			return 'result';
		} finally {
			asked.push('closed');
		}
	}
	return { asked, pulled: prefetchItems(items()) };
}

describe('pulling a stream ahead', () => {
	it('a stream that is read ahead yields all items in order, and the result', async () => {
		const { pulled } = stream();
		const found: unknown[] = [];
		let item = await pulled.next();
		for (; !item.done; item = await pulled.next()) found.push(item.value);
		expect([...found, item.value]).toEqual([1, 2, 3, 'result']);
	});

	it('a stream that is read ahead is asked for one item more than was consumed', async () => {
		const { asked, pulled } = stream();
		await pulled.next();
		expect(asked).toEqual(['item 1', 'item 2']);
	});

	it('a stream that is read ahead fails after the items before the failure', async () => {
		const { pulled } = stream(true);
		for (const item of [1, 2, 3]) expect((await pulled.next()).value).toBe(item);
		await expect(pulled.next()).rejects.toThrow('the connection broke');
	});

	it('a stream that is read ahead is closed if the consumer stops', async () => {
		const { asked, pulled } = stream();
		await pulled.next();
		await pulled.return('stopped');
		expect(asked).toEqual(['item 1', 'item 2', 'closed']);
	});
});
