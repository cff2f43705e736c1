import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { readStats } from '../../../server/session/stats.ts';
import { toolSession } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

/** Returns a session's messages whose newest answers report this usage. */
function reported(usage: NonNullable<ChatMessage['usage']>): ChatMessage[] {
	const messages = toolSession(30);
	const answers = messages.filter(({ role }) => role === 'assistant').slice(-6);
	return messages.map((message) => (answers.includes(message) ? { ...message, usage } : message));
}

describe('cache costs in the receipt of a compaction', () => {
	it('a receipt reports what rewriting the cache costs and after how many calls that pays back', async () => {
		const session = await sessionWith(
			testWorld(),
			reported({ input: 0, output: 10, cacheRead: 9000, cacheWrite: 900 }),
		);
		const { cache, tokensSaved } = await compactNow(session, { targetTokens: 3000 });
		expect(cache.rewrittenTokens).toBeGreaterThan(0);
		expect(cache.costTokens).toBe(Math.round((1.25 - 0.1) * cache.rewrittenTokens));
		expect(cache.paysBackAfterCalls).toBe(Math.ceil(cache.costTokens / (0.1 * tokensSaved)));
	});

	it('a receipt reports no cache cost if the provider does not cache', async () => {
		const session = await sessionWith(testWorld(), reported({ input: 9000, output: 10 }));
		const { cache } = await compactNow(session, { targetTokens: 3000 });
		expect(cache).toMatchObject({ costTokens: 0, paysBackAfterCalls: 0 });
	});

	it('stats repeat the cache cost of the last compaction', async () => {
		const session = await sessionWith(testWorld(), toolSession(30));
		const { cache } = await compactNow(session, { targetTokens: 3000 });
		expect((await readStats(session, session.client))?.lastCompaction?.cache).toEqual(cache);
	});
});
