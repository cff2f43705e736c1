import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextHistory, contextPin } from '../../../server/protocol/history.ts';
import { sharedApp } from '../../support/app.ts';
import { sessionMaker } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'hidden-history');

it('the full history shows the ids that the daemon assigned, with which messages can be pinned', async () => {
	const id = await withMessages([{ role: 'user', content: 'Keep the names of the tables.' }]);
	const historyWith = async (includeHidden: boolean) =>
		(await app.ask(contextHistory, { sessionId: id, includeHidden })).messages as ChatMessage[];
	expect((await historyWith(false))[0]).not.toHaveProperty('id');
	const messageIds = (await historyWith(true)).map((message) => String(message.id));
	const { pinned } = await app.ask(contextPin, { sessionId: id, messageIds, pinned: true });
	expect(pinned).toEqual(messageIds);
});

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
