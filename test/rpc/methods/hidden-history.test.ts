import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory } from '../../../server/protocol/history.ts';
import { sharedApp } from '../../support/app.ts';
import { sessionMaker } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'hidden-history');

it('the full history shows the original of a shortened message before that message', async () => {
	const id = await withMessages(work(30));
	const only = {
		enableSummarize: false,
		enableTruncate: false,
		enableDeduplicate: false,
		pruneProtectTokens: 0,
	};
	await compactIn(app, id, { targetTokens: 500, config: { ...only, pruneMinimumSavings: 0 } });
	const { messages } = await app.ask(contextHistory, { sessionId: id, includeHidden: true });
	const all = messages as ChatMessage[];
	const shortened = all.filter((one) => one.metadata?.truncated);
	expect(shortened.length).toBeGreaterThan(0);
	for (const one of shortened) {
		const [original, shown] = all.filter((other) => other.id === one.id);
		expect(shown).toBe(one);
		expect(original?.content).toEqual(work(30).find((message) => message.id === one.id)?.content);
		expect(original?.condenseParent).toBe(one.condenseId);
	}
	const { messages: visible } = await app.ask(contextHistory, { sessionId: id });
	const untagged = all.filter((one) => one.condenseParent === undefined);
	expect(untagged.map((one) => one.content)).toEqual((visible as ChatMessage[]).map((one) => one.content));
});
