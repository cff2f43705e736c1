/** The messages of pi's model after its provider refused a request as too large. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { isContinuedBy, newestRequest, textOf } from './requests.ts';
import { hosts } from './session.ts';

const small = 4000;

await insideAgents(
	({ begin }) => {
		it('the plugin keeps the newest messages of pi after an overflow, and can undo the step', {
			timeout,
		}, async () => {
			const session = await begin();
			const { mock } = session;
			for (let turn = 0; turn < 6; turn++) await session.turn([small]);
			const before = newestRequest(session);
			mock.refuseNext('request_too_large: Request exceeds the maximum size');
			await session.turn([small]);
			const refused = mock.refused[0]?.tokens ?? 0;
			const after = newestRequest(session);
			expect(mock.refused).toHaveLength(1);
			expect(after.request.tokens).toBeLessThan(refused);
			expect(after.request.tokens).toBeGreaterThan(refused / 2);
			expect(textOf(after)).toContain('The queue of document 6 holds');
			expect(mock.exchanges.filter(({ request }) => request.kind === 'compaction')).toEqual([]);

			await session.turn([small]);
			expect(isContinuedBy(after, newestRequest(session))).toBe(true);
			await session.restart();
			expect(await session.running().command('contextd-undo', '')).toContain('what it got before');
			await session.turn([]);
			expect(isContinuedBy(before, newestRequest(session))).toBe(true);
		});
	},
	hosts.filter(({ agent }) => agent.name === 'pi'),
);
