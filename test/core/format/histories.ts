import fc from 'fast-check';
import type { ChatMessage, ContentPart, ToolCall } from '../../../server/protocol/conversation.ts';

const text = fc.oneof(
	fc.string({ maxLength: 12 }),
	fc.constantFrom('', ' ', 'Go on.', 'a\nb', '\ud83d\ude00'),
);

const visible = fc.oneof<fc.Arbitrary<ContentPart>[]>(
	fc.record({ type: fc.constant('text' as const), text }),
	fc.record({
		type: fc.constant('image' as const),
		mediaType: fc.constant('image/png'),
		data: fc.constant('AAAA'),
	}),
	fc.constant({ type: 'image', mediaType: 'image/png' } as const),
	fc.constant({ type: 'opaque', value: { type: 'something', of: 'theirs' } } as const),
	fc.constant({ type: 'opaque', value: 7 } as const),
);

const reasoning = fc.oneof<fc.Arbitrary<ContentPart>[]>(
	fc.record({ type: fc.constant('reasoning' as const), text }),
	fc.record({ type: fc.constant('reasoning' as const), text, signature: fc.constant('c2ln') }),
);

function content(part: fc.Arbitrary<ContentPart>): fc.Arbitrary<string | ContentPart[]> {
	return fc.oneof(text, fc.array(part, { maxLength: 3 }));
}

const said = content(visible);
const answered = content(fc.oneof(visible, reasoning));

/** A few ids, which therefore repeat in later turns. Some are invalid for every provider. */
const callId = fc.constantFrom('a', 'b', 'call_1', 'read#0', 'toolu_1', 'ü', 'x'.repeat(90));
const args = fc.oneof<fc.Arbitrary<unknown>[]>(
	fc.constant({}),
	fc.dictionary(fc.constantFrom('path', 'n'), fc.oneof(fc.string(), fc.integer())),
	fc.constantFrom('{"half', '{}', '', null, 5, [1]),
);
const call: fc.Arbitrary<ToolCall> = fc.record({ id: callId, name: fc.constantFrom('read', 'bash'), args });

const batch: fc.Arbitrary<ChatMessage[]> = fc
	.uniqueArray(call, { minLength: 1, maxLength: 4, selector: ({ id }) => id })
	.chain((toolCalls) =>
		fc
			.record({
				content: answered,
				results: fc.array(fc.record({ content: said, isError: fc.boolean() }), {
					minLength: toolCalls.length,
					maxLength: toolCalls.length,
				}),
				order: fc.shuffledSubarray(toolCalls, { minLength: toolCalls.length }),
			})
			.map(({ content, results, order }): ChatMessage[] => [
				{ role: 'assistant', content, toolCalls },
				...order.map(({ id }, index): ChatMessage => ({ role: 'tool', toolCallId: id, ...results[index]! })),
			]),
	);

const single = fc.oneof(
	fc.record({ role: fc.constant('user' as const), content: said }),
	fc.record({ role: fc.constant('assistant' as const), content: answered }),
	fc.record({ role: fc.constant('system' as const), content: text }),
);

/** Neutral histories with valid pairs of calls and results, and unusual content everywhere else. */
export const histories: fc.Arbitrary<ChatMessage[]> = fc
	.array(
		fc.oneof(
			{ weight: 2, arbitrary: single.map((message): ChatMessage[] => [message]) },
			{ weight: 1, arbitrary: batch },
		),
		{
			maxLength: 8,
		},
	)
	.map((steps) => steps.flat());
