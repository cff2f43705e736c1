import { expect, it } from 'vitest';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

async function compacted(messages: Parameters<typeof sessionWith>[1], targetTokens: number) {
	const world = testWorld();
	return compactNow(await sessionWith(world, messages), { targetTokens });
}

it.each([300, 500, 1000, 2000, 5000])(
	'compaction meets a target of %i tokens if few messages are protected',
	async (target) => {
		const { tokensAfter, reasonCode, stagesUsed } = await compacted(toolSession(20), target);
		expect(tokensAfter).toBeLessThanOrEqual(target);
		expect(reasonCode).toBeUndefined();
		expect(stagesUsed.length).toBeGreaterThan(0);
	},
);

it('a target that protected messages fill still gets a short summary, and a reason names the shortfall', async () => {
	const messages = toolSession(30);
	messages[0] = user('u0', prose(3000));
	const { tokensAfter, targetTokens, reasonCode, reason, summary } = await compacted(messages, 1000);
	expect(reasonCode).toBe('protected_only');
	expect(reason).toContain(`${tokensAfter - targetTokens} tokens above the target`);
	expect(summary?.text).toContain('## What happened');
});

it('a summary next to huge protected messages grows with them, but more slowly', async () => {
	const beside = async (size: number) => {
		const messages = toolSession(60);
		messages[0] = user('u0', prose(size));
		const { tokensBefore, tokensAfter, summary } = await compacted(messages, 1000);
		return { tokensBefore, tokensAfter, said: summary?.text.length ?? 0 };
	};
	const [some, many, most] = [await beside(3000), await beside(20_000), await beside(60_000)];
	expect(many.said).toBeGreaterThan(1.3 * some.said);
	expect(most.said).toBeLessThan(10 * some.said);
	expect(many.tokensAfter).toBeLessThan(many.tokensBefore);
});

it('a small history whose newest answer fills the target still gets a short summary of the rest', async () => {
	const messages = [
		user('u0', 'Plan the journey.'),
		...Array.from({ length: 12 }, (_, index) => answer(`a${index}`, prose(70, index))),
		answer('last', prose(250, 40)),
	];
	const { tokensAfter, targetTokens, stagesUsed, summary } = await compacted(messages, 300);
	expect(stagesUsed).toContain('summarize');
	expect(summary?.text).toMatch(/^## (?:What happened|Latest work)$/m);
	expect(tokensAfter).toBeLessThan(targetTokens + 250);
});

it('a newest answer that is larger than the target exceeds it by little', async () => {
	const messages = [
		user('u0', 'Plan the journey.'),
		...Array.from({ length: 40 }, (_, index) => answer(`a${index}`, prose(90, index))),
		answer('last', prose(4000, 50)),
	];
	const { tokensAfter, targetTokens } = await compacted(messages, 600);
	expect(tokensAfter).toBeLessThanOrEqual(targetTokens + 100);
});
