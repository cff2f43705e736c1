import { describe, expect, it } from 'vitest';
import { contextCount, contextTruncateToTokenBudget } from '../../../server/protocol/measuring.ts';
import { sessionOpen } from '../../../server/protocol/session.ts';
import { contextNeedsCompaction, contextStats } from '../../../server/protocol/stats.ts';
import { sharedApp } from '../../support/app.ts';
import { prose, toolSession, user } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'measuring');

describe('context/needsCompaction', () => {
	const needs = async (sessionId: string, more = {}) =>
		(await app.ask(contextNeedsCompaction, { sessionId, ...more })).needsCompaction;

	it('context/needsCompaction agrees with stats, or applies a threshold of its own', async () => {
		const id = await withMessages(toolSession(40));
		const stats = await app.ask(contextStats, { sessionId: id });
		const ratio = stats?.usageRatio ?? 0;
		expect(await needs(id)).toBe(stats?.shouldCompact);
		expect(await needs(id, { threshold: ratio / 2 })).toBe(true);
		expect(await needs(id, { threshold: Math.min(1, ratio * 2) })).toBe(false);
		expect(await needs(id, { model: 'gpt-3.5-turbo', provider: 'openai' })).toBe(true);
	});

	it('context/needsCompaction is false for an unknown or empty session', async () => {
		expect(await needs('nobody')).toBe(false);
		const { sessionId } = await app.ask(sessionOpen, {});
		expect(await needs(sessionId, { threshold: 0 })).toBe(false);
	});
});

describe('context/count', () => {
	it('context/count and session/append refuse a token count that no message can have', async () => {
		const messages = [1, 2].map(() => ({ role: 'user', content: 'x', tokens: 1e308 }));
		for (const [method, params] of [
			['context/count', { messages }],
			['session/append', { sessionId: await withMessages([user('u', 'Hi')]), messages }],
		] as const) {
			const { code, message } = await app.refusal(method, params);
			expect(code).toBe(-32602);
			expect(message).toContain('messages[0].tokens: expected at most 1000000000 tokens, got 1e+308');
		}
	});
});

describe('context/truncateToTokenBudget', () => {
	const cut = (text: string, tokens: number, estimator: 'exact' | 'heuristic' = 'exact') =>
		app.ask(contextTruncateToTokenBudget, { text, tokens, estimator, model: 'gpt-4o' });

	it('context/truncateToTokenBudget ends with a sentence within the budget', async () => {
		const text = 'The build fails. It says that a name is not declared. Please find out why this happened.';
		const { text: kept, tokens, truncated } = await cut(text, 14);
		expect(kept).toBe('The build fails. It says that a name is not declared....');
		expect(tokens).toBeLessThanOrEqual(14);
		expect(truncated).toBe(true);
		const counted = await app.ask(contextCount, { text: kept, estimator: 'exact', model: 'gpt-4o' });
		expect(counted.tokens).toBe(tokens);
	});

	it.each(['exact', 'heuristic'] as const)(
		'context/truncateToTokenBudget leaves a text within the budget unchanged (%s)',
		async (estimator) => {
			expect(await cut('Short.', 50, estimator)).toMatchObject({ text: 'Short.', truncated: false });
		},
	);

	it('context/truncateToTokenBudget truncates long runs of spaces and giant texts', async () => {
		const blanks = `${' '.repeat(4_000)}end`;
		expect((await cut(blanks, 60)).tokens).toBeLessThanOrEqual(60);
		const { tokens, truncated } = await cut(prose(400_000), 100);
		expect(tokens).toBeGreaterThan(80);
		expect(tokens).toBeLessThanOrEqual(100);
		expect(truncated).toBe(true);
	});
});

describe('context/count by the documented heuristic', () => {
	const count = async (params: object) =>
		(await app.ask(contextCount, { estimator: 'heuristic', provider: 'openai', model: 'gpt-4o', ...params }))
			.tokens;

	it('the heuristic of context/count counts source code by 3 characters a token', async () => {
		expect(await count({ text: 'x'.repeat(1200) })).toBe(345);
		expect(await count({ text: 'x'.repeat(1200), isCode: true })).toBe(460);
	});

	it('the heuristic of context/count adds 24 tokens for a conversation', async () => {
		const message = user('u', 'x'.repeat(400));
		expect(await count({ messages: [message] })).toBe(115 + 4 + 24);
		expect(await count({ messages: [message, { ...message, id: 'v' }] })).toBe(2 * (115 + 4) + 24);
		expect(await count({ messages: [] })).toBe(0);
	});

	it('the exact count of context/count ignores isCode', async () => {
		const text = 'const total = count + 1;';
		expect(await count({ text, isCode: true, estimator: 'exact' })).toBe(
			await count({ text, estimator: 'exact' }),
		);
	});
});
