import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { answer, prose, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const windowOnly = { enableSummarize: false, enablePrune: false, enableDeduplicate: false };

const talk = (name: string, turns: number): ChatMessage[] =>
	Array.from({ length: turns }, (_, index) => [
		user(`${name}-u${index}`, prose(80, index)),
		answer(`${name}-a${index}`, prose(120, index + 7)),
	]).flat();

/** Returns a session with a summary of its older half, followed by newer messages. */
async function summarized() {
	const session = await sessionWith(testWorld(), [user('first', 'Plan the harbour.'), ...talk('old', 20)]);
	const { tokensAfter } = await compactNow(session, { targetTokens: 1500 });
	await appendMessages(session, talk('new', 10), 'contextd', { client: session.client });
	const hasSummary = async () => (await historyOf(session)).some(({ metadata }) => metadata?.isSummary);
	return { session, tokensAfter, hasSummary };
}

describe('truncation of a session with a summary', () => {
	it('truncation removes newer messages before an earlier summary, without a warning', async () => {
		const { session, tokensAfter, hasSummary } = await summarized();
		const done = await compactNow(session, { targetTokens: tokensAfter + 500, config: windowOnly });
		expect(done.stagesUsed).toEqual(['truncate']);
		expect(done.removed.length).toBeGreaterThan(5);
		expect(done.warnings).toBeUndefined();
		expect(await hasSummary()).toBe(true);
	});

	it('truncation removes an earlier summary last, with a warning', async () => {
		const { session, hasSummary } = await summarized();
		const done = await compactNow(session, { targetTokens: 400, config: windowOnly });
		expect(await hasSummary()).toBe(false);
		expect(done.warnings).toEqual(['an earlier summary had to be removed: nothing else was left']);
		const taken = done.removed.map(({ messageId }) => messageId);
		expect(taken).toContain('new-u0');
	});
});

const rules = Array.from({ length: 12 }, (_, index) => `Never touch table_${index + 10} of the ledger.`);

it.each([
	['summaries off', { enableSummarize: false }],
	['the window alone', windowOnly],
	['all stages on', {}],
])("truncation keeps the user's rules and removes newer small talk with %s", async (_, config) => {
	const session = await sessionWith(testWorld(), [
		user('first', 'Help me with the ledger.'),
		...rules.flatMap((rule, index) => [user(`r${index}`, rule), answer(`ra${index}`, prose(60, index))]),
		...Array.from({ length: 60 }, (_, index) => [
			user(`s${index}`, `A fine day at the harbour, number ${index}, with a little wind from the west.`),
			answer(`sa${index}`, prose(30, index)),
		]).flat(),
		user('last', 'Go on.'),
	]);
	const { tokensBefore } = await compactNow(session, { targetTokens: 1_000_000 });
	await compactNow(session, { targetTokens: Math.round(0.2 * tokensBefore), config });
	const text = JSON.stringify(await historyOf(session));
	expect(rules.filter((rule) => !text.includes(rule))).toEqual([]);
	expect(text.match(/A fine day/g)?.length ?? 0).toBeLessThan(60);
});
