import { describe, expect, it } from 'vitest';
import { answer, call, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

async function compacted(
	messages: Parameters<typeof sessionWith>[1],
	order: Parameters<typeof compactNow>[1],
) {
	const test = testWorld();
	const session = await sessionWith(test, messages);
	return { answered: await compactNow(session, order), history: await historyOf(session) };
}

describe('reasons of a compaction', () => {
	it('no reason claims that a missed target is reached', async () => {
		const messages = [
			user('u0', prose(4000)),
			answer('a0', prose(30)),
			answer('a1', 'ok'),
			user('u1', 'go on'),
		];
		const { answered } = await compacted(messages, { targetTokens: 500 });
		expect(answered.tokensAfter).toBeGreaterThan(answered.targetTokens);
		expect(answered.reasonCode).toBe('protected_only');
		expect(answered.reason).toContain('protected messages alone take');
		for (const { reason } of answered.stages) expect(reason).not.toContain('is reached');
	});

	it('a reason names protection only if protected messages fill the target', async () => {
		const only = { enableDeduplicate: false, enableSummarize: false, enableTruncate: false };
		const { answered } = await compacted(toolSession(30), {
			targetTokens: 1000,
			config: { ...only, pruneProtectTokens: 6000, pruneMinimumSavings: 0 },
		});
		expect(answered.outcome).toBe('compacted');
		expect(answered.tokensAfter).toBeGreaterThan(5000);
		expect(answered.reasonCode).toBeUndefined();
		expect(answered.reason).toContain('the enabled stages could remove no more');
	});
});

describe('messages that are reported as shortened', () => {
	const reported = (input: number, output: number) => ({ usage: { input, output }, stopReason: 'stop' });

	it.each([
		['its provider reported more tokens for it', { ...reported(190, 260) }],
		['its client counted more tokens for it', { tokens: 260 }],
	])('an unchanged answer is not reported as shortened although %s', async (_, more) => {
		const whole = 'The parser is fixed, and all of its tests pass now.';
		const messages = [
			user('u0', prose(40)),
			call('c0', ['k0'], 'run', { command: 'npm test' }),
			result('r0', 'k0', prose(90), { toolName: 'run' }),
			answer('a0', whole, more),
		];
		const { answered, history } = await compacted(messages, { targetTokens: 60 });
		const shown = history.find(({ id }) => id === 'a0');
		if (shown) expect(shown).toEqual(messages[3]);
		expect(
			answered.removed.filter(({ messageId, change }) => messageId === 'a0' && change === 'shortened'),
		).toEqual([]);
	});
});
