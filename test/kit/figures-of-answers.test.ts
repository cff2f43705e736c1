/** Which figures of providers the daemon is told: those alone that measure what is shown. */

import { expect, it } from 'vitest';
import { piDialect } from '../../client-pi/dialect.ts';
import type { PiMessage } from '../../client-pi/hostMessages.ts';
import { createConversation } from '../../kit/conversation.ts';
import type { Ask } from '../../kit/ports.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { memoryStore } from './host.ts';

const usage = { input: 12_000, output: 10, cacheRead: 0, cacheWrite: 0 };
const prompt = (text: string): PiMessage => ({ role: 'user', content: text });
const answer = (text: string): PiMessage => ({ role: 'assistant', content: [{ type: 'text', text }], usage });

/** A conversation, and what its daemon is told. */
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
		return { usageRatio: 0.1, estimatedInputTokens: 0, shouldCompact: false, breakdown, lastCompaction };
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

it('tells the figures of the answer to the list that was sent last', async () => {
	const { told, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	expect(measured(told)).toEqual(['first']);
});

it('tells no figures of answers to other lists, as of a conversation that it meets in the middle', async () => {
	const { told, view } = talk();
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual([]);
	expect(told).toHaveLength(5);
});

it('tells no figures again when the beginning of a conversation was edited', async () => {
	const { told, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('other'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual(['first']);
});

it('tells no figures of an answer to a view that was replaced before it came', async () => {
	const { told, view, compact } = talk();
	await view([prompt('one')]);
	await compact();
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(told)).toEqual(['second']);
});
