/** The daemon gets only usage that measures the shown view, and estimates that are marked as estimates. */

import { expect, it } from 'vitest';
import { piDialect } from '../../client-pi/dialect.ts';
import type { PiMessage } from '../../client-pi/host.ts';
import { createConversation } from '../../kit/conversation.ts';
import type { Ask } from '../../kit/ports.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { logLines } from '../support/messages.ts';
import { memoryStore } from './host.ts';

const usage = { input: 12_000, output: 10, cacheRead: 0, cacheWrite: 0 };
const prompt = (text: string): PiMessage => ({ role: 'user', content: text });
const answer = (text: string): PiMessage => ({ role: 'assistant', content: [{ type: 'text', text }], usage });

/** Returns a conversation, and the messages that its daemon receives. */
function talk(resultTokens = 0) {
	const sentMessages: ChatMessage[] = [];
	let isCompacted = false;
	const ask = (async (method: string, params: { messages?: ChatMessage[] }) => {
		if (method === 'session/append') sentMessages.push(...(params.messages ?? []));
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
		rules: { tokens: resultTokens },
	});
	return {
		sentMessages,
		view: (list: PiMessage[]) => conversation.view(list),
		compact: () => conversation.compact(),
	};
}

const measured = (sentMessages: readonly ChatMessage[]) =>
	sentMessages.filter((message) => message.usage !== undefined).map(({ content }) => content);

it('the daemon gets the usage of an answer to the last sent list', async () => {
	const { sentMessages, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	expect(measured(sentMessages)).toEqual(['first']);
});

it('the daemon gets no usage of earlier answers when a conversation starts in the middle', async () => {
	const { sentMessages, view } = talk();
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(sentMessages)).toEqual([]);
	expect(sentMessages).toHaveLength(5);
});

it('the daemon gets no usage again after the beginning of the conversation was edited', async () => {
	const { sentMessages, view } = talk();
	await view([prompt('one')]);
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('other'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(sentMessages)).toEqual(['first']);
});

it('the daemon gets no usage of an answer to a view that was replaced meanwhile', async () => {
	const { sentMessages, view, compact } = talk();
	await view([prompt('one')]);
	await compact();
	await view([prompt('one'), answer('first'), prompt('two')]);
	await view([prompt('one'), answer('first'), prompt('two'), answer('second'), prompt('three')]);
	expect(measured(sentMessages)).toEqual(['second']);
});

it('the daemon gets a shortened result whole, with an estimate of the tokens that were sent', async () => {
	const { sentMessages, view } = talk(100);
	const call = { type: 'toolCall', id: 'c1', name: 'bash', arguments: {} };
	const text = logLines(100);
	const result = { toolCallId: 'c1', toolName: 'bash', content: [{ type: 'text', text }] };
	await view([
		prompt('one'),
		{ role: 'assistant', content: [call], usage },
		{ role: 'toolResult', isError: false, ...result },
	]);
	expect(sentMessages[2]).toMatchObject({ content: text, hasEstimatedTokens: true });
	expect(sentMessages[2]?.tokens).toBeGreaterThan(50);
	expect(sentMessages[2]?.tokens).toBeLessThanOrEqual(100);
});
