/** Compactions after a pause, when the provider's cache has expired. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { isContinuedBy, newestRequest } from './requests.ts';

/** Size of the window in tokens. */
const window = 128_000;
const pauseMs = 7_200_000;

await insideAgents(({ begin }) => {
	it('the plugin compacts a long session after a pause once, before its prompt is written again', {
		timeout,
	}, async () => {
		const session = await begin(window);
		const documents = Array.from({ length: 6 }, () => Array.from({ length: 3 }, () => 14_000));
		await session.turn(documents);
		const before = newestRequest(session);
		expect(before.request.tokens).toBeGreaterThan(60_000);
		expect(before.answer.usage.cached).toBeGreaterThan(50_000);

		// On a slow machine the requests did not wait for the daemon, and it would not know when they were sent.
		await session.running().command('contextd', '');
		await session.pause(pauseMs);
		await session.turn([1000]);
		const [first, second] = session.mock.exchanges.filter(({ request }) => request.kind === 'main').slice(-2);
		expect(first?.request.tokens).toBeLessThan(0.7 * before.request.tokens);
		expect(first?.answer.usage.cached).toBe(0);
		expect(first && second && isContinuedBy(first, second)).toBe(true);
		const text = await session.running().command('contextd', '');
		expect(text).toContain("the provider's cache had expired");
	});
});
