/** Sessions that a plugin feeds compact before their agent does. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { CompactionPreference } from '../../../server/protocol/settingParts.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { readStats } from '../../../server/session/stats.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { testWorld } from '../../support/world.ts';

/** A session whose prompt grows with each request until a compaction is due. */
interface GrowingSession {
	agent: { prefix: string; provider: string; model: string };
	policy: CompactionPreference;
	contextWindow: number;
	/** Share of the window that the first request uses. */
	firstShare: number;
	/** Share of the window that each request adds. */
	stepShare: number;
	/** Whether the result of a call is still missing when the decision is made. */
	hasOpenCalls: boolean;
}

const sessions: fc.Arbitrary<GrowingSession> = fc.record({
	agent: fc.constantFrom(
		{ prefix: 'opencode', provider: 'mock', model: 'mock-1' },
		{ prefix: 'opencode', provider: 'anthropic', model: 'claude-sonnet-4-5' },
		{ prefix: 'pi', provider: 'mock', model: 'mock-claude' },
		{ prefix: 'claude', provider: 'anthropic', model: 'claude-sonnet-4-5' },
	),
	policy: fc.constantFrom('full', 'balanced', 'cheap'),
	// In a smaller window, a single step could exceed the space above the usual threshold.
	contextWindow: fc.integer({ min: 32_000, max: 1_000_000 }),
	firstShare: fc.double({ min: 0.02, max: 0.4, noNaN: true }),
	stepShare: fc.double({ min: 0.01, max: 0.04, noNaN: true }),
	hasOpenCalls: fc.boolean(),
});

/** Returns a call and its result, with the prompt that the provider reported. */
function readingStep(no: number, promptTokens: number, tokens: number, hasOpenCalls: boolean): ChatMessage[] {
	const usage = { input: 0, output: 50, cacheRead: promptTokens, cacheWrite: 0 };
	const ids = hasOpenCalls ? [`call-${no}`, `open-${no}`] : [`call-${no}`];
	const toolCalls = ids.map((id) => ({ id, name: 'read', args: { path: `${id}.txt` } }));
	return [
		{ role: 'assistant', content: '', toolCalls, usage, tokens: 50 },
		{ role: 'tool', toolCallId: `call-${no}`, content: `Document ${no} says little.`, tokens },
	];
}

/** Lets a session grow until a compaction is due. Returns the shares of the agent's limit that its requests use. */
async function sharesUntilDue(growing: GrowingSession): Promise<number[]> {
	const { agent, policy, contextWindow, firstShare, stepShare, hasOpenCalls } = growing;
	const { prefix, provider, model } = agent;
	let now = 1_000_000_000;
	const world = testWorld({ now: () => now });
	world.configure({ compaction: { policy } });
	const { store, client } = world;
	const sessionId = `${prefix}:growing`;
	await openSession(store, client, { sessionId, provider, model, contextWindow, maxOutputTokens: 8192 });
	return store.run(sessionId, client, async (session) => {
		const append = (messages: readonly ChatMessage[]) =>
			appendMessages(session, messages, 'contextd', { client });
		const step = Math.ceil(stepShare * contextWindow);
		const shares: number[] = [];
		await append([{ role: 'user', content: 'Read all.', tokens: 20 }]);
		for (let no = 1, prompt = firstShare * contextWindow; ; no++, prompt += step + 50) {
			now += 1000;
			await append(readingStep(no, Math.floor(prompt), step, hasOpenCalls));
			const stats = await readStats(session, client);
			if (stats === null) throw new Error('the session has no figures');
			shares.push(stats.usageRatio);
			if (stats.shouldCompact || stats.usageRatio >= 1) return shares;
		}
	});
}

it('a session that a plugin feeds compacts before its agent does, under every policy', async () => {
	await fc.assert(
		fc.asyncProperty(sessions, async (growing) => {
			const shares = await sharesUntilDue(growing);
			expect(shares.at(-1)).toBeLessThan(1);
		}),
		{
			numRuns: 40,
			examples: [
				[
					{
						agent: { prefix: 'pi', provider: 'mock', model: 'mock-claude' },
						policy: 'full',
						contextWindow: 24_000,
						firstShare: 0.02,
						stepShare: 0.019125,
						hasOpenCalls: false,
					},
				],
			],
		},
	);
});
