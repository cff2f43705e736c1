import { describe, expect, it } from 'vitest';
import { sharedApp } from '../../support/app.ts';
import { sessionMaker, statsIn } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'compact');

describe('context/compact', () => {
	it('context/compact omits the history if includeMessages is false', async () => {
		const id = await withMessages(work(20));
		expect(await compactIn(app, id, { includeMessages: false })).not.toHaveProperty('messages');
	});

	it('context/compact counts tokens before and after like stats', async () => {
		const id = await withMessages(work(20));
		const before = await statsIn(app, id);
		const { tokensBefore, tokensAfter, tokensSaved, removed } = await compactIn(app, id);
		expect(tokensBefore).toBe(before.breakdown.conversationHistory);
		expect((await statsIn(app, id)).breakdown.conversationHistory).toBe(tokensAfter);
		expect(tokensSaved).toBe(tokensBefore - tokensAfter);
		expect(tokensSaved).toBeGreaterThan(0);
		expect(removed.length).toBeGreaterThan(0);
	});
});
