/** The effect of a provider's refusal and of an agent's own compaction. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { newestRequest, textOf } from './requests.ts';

const small = 4000;

await insideAgents(({ begin }) => {
	it('the plugin sends one shorter prompt after a refusal, and answers the agent’s own request for a summary', {
		timeout,
	}, async () => {
		const session = await begin();
		for (let turn = 0; turn < 4; turn++) await session.turn([small]);
		const { mock } = session;
		const asked = mock.exchanges.length;
		mock.refuseNext(newestRequest(session).request.tokens - 2000);
		await session.turn([small]);
		expect(mock.refused).toHaveLength(1);
		expect(newestRequest(session).request.tokens).toBeLessThan(mock.refused[0]?.tokens ?? 0);
		await session.turn([small, small]);
		await session.running().compact();
		await session.turn([small]);
		const since = mock.exchanges.slice(asked);
		expect(since.filter(({ request }) => request.kind === 'compaction')).toEqual([]);
		const now = textOf(newestRequest(session));
		expect(now).toContain('Please read document 1 too');
		expect(now).toContain('Please read document 5 too');
		expect(now).not.toContain('was recorded already');
		expect(mock.refused).toHaveLength(1);
	});
});
