import { describe, expect, it } from 'vitest';
import { readContextUsage } from '../../../server/session/contextUsage.ts';
import { readStats } from '../../../server/session/stats.ts';
import { toolSession } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

/** Compacts in a window of this size. Returns the available tokens, the default target, and the state afterwards. */
async function freeAfter(contextWindow: number, compaction: object) {
	const test = testWorld();
	test.configure({ compaction: { targetRatio: 1, ...compaction } });
	const session = await sessionWith(test, toolSession(40), { contextWindow });
	const { budget } = await readContextUsage(session, session.client);
	// With a threshold of 0, a target is computed although nothing needs to be removed.
	const { targetTokens } = await compactNow(session, { threshold: 0, targetTokens: undefined });
	return {
		available: budget.available,
		targetTokens,
		state: (await readStats(session, session.client))?.state,
	};
}

describe('compaction.reserveTokensFloor', () => {
	it.each([
		[{}, 20_000],
		[{ reserveTokensFloor: 100_000 }, 100_000],
		[{ reserveTokensFloor: 0 }, 0],
	])(
		'compaction.reserveTokensFloor with %j leaves %d tokens free in a large window',
		async (compaction, floor) => {
			const test = testWorld();
			test.configure({ compaction: { targetRatio: 1, ...compaction } });
			const session = await sessionWith(test, toolSession(600, 60), { contextWindow: 300_000 });
			const { budget, meterReading } = await readContextUsage(session, session.client);
			expect(meterReading.tokens).toBeGreaterThan(budget.available);
			const { targetTokens } = await compactNow(session);
			expect(targetTokens).toBe(budget.available - floor);
		},
	);

	it('compaction.reserveTokensFloor shrinks with a small window', async () => {
		const { available, targetTokens, state } = await freeAfter(16_000, {});
		expect(targetTokens).toBeGreaterThan(available / 2);
		expect(targetTokens).toBeLessThanOrEqual(available - 2500);
		expect(['healthy', 'warning']).toContain(state);
	});
});

describe('the reserve in stats', () => {
	it('stats report the reserve for the answer, and whether the model overrides the rule', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(2), { provider: 'openai', model: 'gpt-5' });
		expect((await readStats(session, session.client))?.reserve).toEqual({
			tokens: 128_000,
			didOverride: true,
		});
		const plain = await readStats(session, session.client, { provider: 'openai', model: 'gpt-4o' });
		expect(plain?.reserve).toMatchObject({ didOverride: false });
		expect(plain?.reserve.tokens).toBe(plain?.outputReserve);
	});
});
