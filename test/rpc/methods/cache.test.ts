import { expect, it } from 'vitest';
import { contextStats } from '../../../server/protocol/stats.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin } from '../../support/talk.ts';

const app = sharedApp();

const at = Date.UTC(2026, 10, 1);
const usage = { input: 1000, output: 400, cacheRead: 90_000, cacheWrite: 9000 };

/** Three requests, a minute apart, of a session that began some time ago. */
const messages = [0, 1, 2].flatMap((turn) => [
	userSays(`question ${turn}`, { timestamp: at + turn * 60_000 }),
	assistantSays(`answer ${turn}`, {
		timestamp: at + turn * 60_000 + 5000,
		usage: { ...usage, output: 400 + turn },
	}),
]);

it('context/stats says when the cache expires and what that costs, and what the session cost so far', async () => {
	await begin(app, 'priced', messages, { provider: 'anthropic', model: 'claude-sonnet-4-5' });
	const stats = await app.ask(contextStats, { sessionId: 'priced' });
	expect(stats?.cache).toEqual({
		warmUntil: at + 120_000 + 300_000,
		lifetimeMs: 300_000,
		coldTokens: 100_000,
		coldCostTokens: 115_000,
		coldCost: expect.closeTo(0.345),
	});
	// Three times 1,000 + 0.1 × 90,000 + 1.25 × 9,000 of input, and 1,203 of output at five times the price.
	expect(stats?.cost).toEqual({ tokens: 3 * 21_250 + 5 * 1203, usd: expect.closeTo(0.2093, 3) });
});

it('context/stats has no costs in dollars for a model without a known price, and none without figures', async () => {
	await begin(app, 'unpriced', messages, { provider: 'anthropic', model: 'claude-unheard-of' });
	const stats = await app.ask(contextStats, { sessionId: 'unpriced' });
	expect(stats?.cache?.coldCostTokens).toBe(115_000);
	expect([stats?.cache, stats?.cost]).not.toContainEqual(expect.objectContaining({ usd: expect.anything() }));
	expect(stats?.cache).not.toHaveProperty('coldCost');
	await begin(app, 'silent', [userSays('hi'), assistantSays('hello')]);
	const silent = await app.ask(contextStats, { sessionId: 'silent' });
	expect([silent?.cache, silent?.cost]).toEqual([undefined, undefined]);
});
