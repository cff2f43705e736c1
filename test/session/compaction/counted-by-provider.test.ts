import { describe, expect, it } from 'vitest';
import { readContextUsage } from '../../../server/session/contextUsage.ts';
import { toolSession } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

async function session() {
	const test = testWorld();
	test.configure({ estimator: 'heuristic', compaction: { targetRatio: 0.6 } });
	return sessionWith(test, toolSession(40));
}

describe('config.provider', () => {
	it('config.provider decides whose tokens a compaction counts', async () => {
		const open = await session();
		const usage = await readContextUsage(open, open.client, { provider: 'mistral' });
		const plain = await compactNow(await session(), { targetTokens: 4000 });
		const counted = await compactNow(open, { targetTokens: 4000, config: { provider: 'mistral' } });
		expect(counted.tokensBefore).toBe(usage.meterReading.breakdown.conversationHistory);
		// NeuroLink's multipliers: 1.26 for Mistral, 1 for OpenAI, 1.23 for Anthropic, the provider of this session.
		expect(counted.tokensBefore / plain.tokensBefore).not.toBeCloseTo(1, 2);
		expect(counted.targetTokens).toBe(4000);
		expect(counted.tokensAfter).toBeLessThanOrEqual(4000);
		expect(counted.tokensSaved).toBe(counted.tokensBefore - counted.tokensAfter);
	});

	it('config.provider changes nothing if it is the session’s own provider', async () => {
		const open = await session();
		const { provider } = open.state.info;
		const own = await compactNow(open, { targetTokens: 4000, config: { provider } });
		const plain = await compactNow(await session(), { targetTokens: 4000 });
		expect(own.tokensBefore).toBe(plain.tokensBefore);
		expect(own.tokensAfter).toBe(plain.tokensAfter);
	});

	it('config.provider decides whose window sets the default target', async () => {
		const [small, large] = await Promise.all(
			['huggingface', 'anthropic'].map(async (provider) =>
				compactNow(await session(), { config: { provider }, threshold: 0 }),
			),
		);
		expect(small!.targetTokens).not.toBe(large!.targetTokens);
	});
});
