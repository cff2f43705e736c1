import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { serializeMessageIdentity } from '../../server/session/ingest.ts';

function sortedKeys(_: string, value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

it('serializeMessageIdentity is the JSON of a message with sorted keys, so that stored identities stay equal', () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 4 }), (content, args) => {
			const message = {
				role: 'assistant',
				content,
				toolCalls: [{ name: 'Read', id: 'c', args }],
			} as unknown as ChatMessage;
			const { role, toolCalls } = message;
			expect(serializeMessageIdentity(message)).toBe(JSON.stringify([role, content, toolCalls], sortedKeys));
		}),
		{ numRuns: 500 },
	);
});

it('serializeMessageIdentity ignores the order of keys', () => {
	const one = { role: 'user', content: [{ type: 'text', text: 'a', meta: { b: 1, a: [{ d: 1, c: 2 }] } }] };
	const other = { content: [{ meta: { a: [{ c: 2, d: 1 }], b: 1 }, text: 'a', type: 'text' }], role: 'user' };
	expect(serializeMessageIdentity(one as never)).toBe(serializeMessageIdentity(other as never));
});
