import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { encodeBody } from '../../server/session/body.ts';
import { serializeMessageIdentity } from '../../server/session/ingest.ts';

const text = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.string({ unit: 'binary', minLength: 600, maxLength: 700 }),
);
const others = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue(), { maxKeys: 4 });

it('encodeBody and serializeMessageIdentity give the same result whether a content was serialized before or not', () => {
	fc.assert(
		fc.property(text, others, others, fc.jsonValue(), (content, before, after, args) => {
			const members = [...Object.entries(before), ['content', content], ...Object.entries(after)];
			const raw = Object.fromEntries([...members, ['usage', undefined]]);
			raw.content = content;
			const written = JSON.stringify(content);
			expect(encodeBody('contextd', raw, written)).toBe(encodeBody('contextd', raw));
			for (const toolCalls of [undefined, [{ name: 'Read', id: 'c', args }]]) {
				const message = { role: 'tool', content, toolCalls } as ChatMessage;
				expect(serializeMessageIdentity(message, written)).toBe(serializeMessageIdentity(message));
			}
		}),
		{ numRuns: 300 },
	);
});
