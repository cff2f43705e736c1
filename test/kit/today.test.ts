import { expect, it } from 'vitest';
import type { Conversation } from '../../kit/conversationTypes.ts';
import { createStatsText } from '../../kit/lookups.ts';
import type { Ask } from '../../kit/ports.ts';
import type { LoggedCompaction } from '../../server/protocol/compaction.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

const now = new Date(2026, 10, 24, 15, 0);
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();

function compaction(more: Partial<LoggedCompaction>): LoggedCompaction {
	const figures = { tokensBefore: 90_000, tokensAfter: 60_000 };
	return {
		compactionId: 'c',
		at: at(24, 9),
		...figures,
		stagesUsed: ['prune'],
		undone: false,
		removed: [],
		...more,
	};
}

/** Returns the report on a session with these compactions. */
function report(compactions: readonly LoggedCompaction[], more: Partial<ContextStats> = {}): Promise<string> {
	const stats = {
		estimatedInputTokens: 70_000,
		availableInputTokens: 100_000,
		usageRatio: 0.7,
		breakdown: { conversationHistory: 60_000 },
		history: {},
		largest: [],
		limit: { compacts: 'nobody' },
		state: 'healthy',
		...more,
	};
	const ask = (async (method: string) =>
		method === 'context/stats' ? stats : { points: [], compactions }) as unknown as Ask;
	const conversation = { isOff: async () => false, sync: async () => {} } as unknown as Conversation<never>;
	return createStatsText({ sessionId: 's', ask, conversation }, 'person', now);
}

it("the report sums up today's decisions that are in force", async () => {
	const text = await report([
		compaction({ at: at(23, 23) }),
		compaction({ at: at(24, 0) }),
		compaction({ tokensAfter: 45_000 }),
		compaction({ undone: true }),
		compaction({ byAgent: true }),
	]);
	expect(text).toContain('today: 2 decisions, 75,000 tokens removed');
});

it("the report adds what today's decisions rewrote in the provider's cache, and its price", async () => {
	const rewriting = (rewrittenTokens: number, costTokens: number) =>
		compaction({ cache: { rewrittenTokens, costTokens, paysBackAfterCalls: 12 } });
	const text = await report([rewriting(40_000, 46_000), rewriting(30_000, 34_500), compaction({})]);
	expect(text).toContain(
		'today: 3 decisions, 90,000 tokens removed, cache rewritten: 70,000 tokens (price: 80,500 of input)',
	);
	const priced = await report([rewriting(40_000, 46_000)], { usdPerMillion: 5 });
	expect(priced).toContain('cache rewritten: 40,000 tokens (price: $0.23)\n');
	expect(priced).toContain('cache: 40,000 tokens rewritten (price: $0.23); pays back in 12 calls');
	const [today] = (await report([rewriting(40_000, 0)])).match(/^today: .*$/m) ?? [];
	expect(today).toBe('today: 1 decision, 30,000 tokens removed');
});

it('the report uses the singular for one decision', async () => {
	expect(await report([compaction({})])).toContain('today: 1 decision, 30,000 tokens removed');
});

it('the report has no line for a day without decisions', async () => {
	expect(await report([compaction({ at: at(23, 23) }), compaction({ undone: true })])).not.toContain(
		'today:',
	);
});

it('the report says what the session cost, and when the cache expires at which price', async () => {
	const warmUntil = now.getTime() + 240_000;
	const cache = { warmUntil, lifetimeMs: 3_600_000, coldTokens: 104_000, coldCostTokens: 119_600 };
	const text = await report([], { cache: { ...cache, coldCost: 0.41 }, cost: { tokens: 900_000, usd: 2.7 } });
	expect(text).toContain(
		'\nthis session: $2.70 so far\ncache expires in 4 min: $0.41 more for the next request\n',
	);
	const unknown = await report([], { cache, cost: { tokens: 900_000 } });
	expect(unknown).toContain('this session: 900k of input so far\ncache expires in 4 min: 120k of input more');
	expect(await report([], { cache: { ...cache, coldCostTokens: 0 } })).not.toMatch(/cache|so far/);
});
