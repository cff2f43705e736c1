import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { call, logLines, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

/** Returns a turn whose last messages are one call and its results, next to an answer that fills the history. */
async function viewOfTurn(results: readonly string[]): Promise<ChatMessage[]> {
	const session = await sessionWith(testWorld(), [
		user('asked', 'Close the ledger of May.'),
		call('old', ['old-1'], 'bash', { command: 'cat ledger.log' }),
		result('old-result', 'old-1', logLines(400)),
		call(
			'new',
			results.map((_, index) => `new-${index}`),
			'bash',
			{ command: 'tail -20 ledger.log' },
		),
		...results.map((text, index) => result(`unread-${index}`, `new-${index}`, text)),
	]);
	await compactNow(session, { targetTokens: 100 });
	return historyOf(session);
}

const small = logLines(6);

describe('results that the agent has not answered yet', () => {
	it('a small unread result stays whole under every target', async () => {
		const view = await viewOfTurn([small]);
		expect(view.find(({ id }) => id === 'unread-0')?.content).toBe(small);
	});

	it('each of several small unread results stays whole', async () => {
		const texts = ['The file ledger.log has 400 lines.', 'May is open.'];
		const view = await viewOfTurn(texts);
		expect(view.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(texts);
	});

	it('a large unread result is shortened', async () => {
		const large = logLines(400);
		const view = await viewOfTurn([large]);
		const shown = view.find(({ id }) => id === 'unread-0')?.content;
		expect(String(shown).length).toBeLessThan(large.length / 2);
	});
});
