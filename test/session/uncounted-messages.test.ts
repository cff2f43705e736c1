import { expect, it } from 'vitest';
import { readStats } from '../../server/session/stats.ts';
import { answer, toolSession } from '../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../support/world.ts';

it('messages whose client states 0 tokens are counted, and can be compacted', async () => {
	const counted = testWorld();
	const uncounted = testWorld();
	const one = await sessionWith(counted, toolSession(20));
	const other = await sessionWith(
		uncounted,
		toolSession(20).map((message) => ({ ...message, tokens: 0 })),
	);
	const [expected, stats] = [await readStats(one, one.client), await readStats(other, other.client)];
	expect(stats?.breakdown.conversationHistory).toBeGreaterThan(10_000);
	expect(stats?.breakdown).toEqual(expected?.breakdown);
	const { tokensBefore, tokensAfter } = await compactNow(other, { targetTokens: 3000 });
	expect(tokensBefore).toBe(expected?.breakdown.conversationHistory);
	expect(tokensAfter).toBeLessThanOrEqual(3000);
});

it('an empty message to which its client gives 0 tokens still counts its framing', async () => {
	const world = testWorld();
	const session = await sessionWith(world, [answer('a', '', { tokens: 0 })]);
	expect((await readStats(session, session.client))?.estimatedInputTokens).toBeGreaterThan(0);
});
