/** Which usage of answers the daemon gets: only usage that measures the shown view. */

import { expect, it } from 'vitest';
import { piDialect } from '../../client-pi/dialect.ts';
import type { PiMessage } from '../../client-pi/host.ts';
import { createConversation } from '../../kit/conversation.ts';
import type { Ask } from '../../kit/ports.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { memoryStore } from './host.ts';

const usage = { input: 12_000, output: 10, cacheRead: 0, cacheWrite: 0 };
const prompt = (text: string): PiMessage => ({ role: 'user', content: text });
const answer = (text: string): PiMessage => ({ role: 'assistant', content: [{ type: 'text', text }], usage });

/** Returns a conversation, and the messages that its daemon gets. */
function talk() {
	const told: ChatMessage[] = [];
	let isCompacted = false;
	const ask = (async (method: string, params: { messages?: ChatMessage[] }) => {
		if (method === 'session/append') told.push(...(params.messages ?? []));
		if (method === 'session/open') return { created: true, messageCount: 0 };
		if (method === 'context/compact') {
			isCompacted = true;
			return { compacted: true, compactionId: 'one', tokensBefore: 2, tokensAfter: 1, messages: [] };
		}
		const breakdown = { conversationHistory: 0 };
		const lastCompaction = isCompacted ? { compactionId: 'one' } : undefined;
		const thresholds = { compact: 0.8 };
		return {
			usageRatio: 0.1,
			estimatedInputTokens: 0,
			shouldCompact: false,
			thresholds,
			breakdown,
			lastCompaction,
		};
	}) as unknown as Ask;
	const conversation = createConversation({
		sessionId: 'test:figures',
		dialect: piDialect,
		ask,
		clock: { now: () => 0 },
		store: memoryStore(),
		rules: { tokens: 0 },
	});
	return {
		told,
		view: (list: PiMessage[]) => conversation.view(list),
		compact: () => conversation.compact(),
	};
}

const measured = (told: readonly ChatMessage[]) =>
	told.filter((message) => message.usage !== undefined).map(({ content }) => content);

it('the daemon gets the usage of an answer to the last sent list', async () => {
	const { told, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	expect(measured(told)).toEqual(['first']);
});

it('the daemon gets no usage of earlier answers when a conversation starts in the middle', async () => {
	const { told, view } = talk();
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual([]);
	expect(told).toHaveLength(5);
});

it('the daemon gets no usage again after the beginning of the conversation was edited', async () => {
	const { told, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('other'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual(['first']);
});

it('the daemon gets no usage of an answer to a view that was replaced meanwhile', async () => {
	const { told, view, compact } = talk();
	await view([prompt('one')]);
	await compact();
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual(['second']);
});
