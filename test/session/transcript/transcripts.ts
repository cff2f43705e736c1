/** Random transcripts that are as odd as real ones: parallel calls, repeated ids, orphans, empty and mixed content. */

import fc from 'fast-check';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { logLines, prose } from '../../support/messages.ts';

/** A message without an id, which its position in the session determines. */
export type Draft = Omit<ChatMessage, 'id'>;

const pixel =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const text = fc.oneof(
	fc.constant(''),
	fc.constant('ok'),
	fc
		.record({ words: fc.integer({ min: 1, max: 300 }), seed: fc.nat(50) })
		.map(({ words, seed }) => prose(words, seed)),
	fc
		.record({ lines: fc.integer({ min: 1, max: 120 }), seed: fc.nat(50) })
		.map(({ lines, seed }) => logLines(lines, seed)),
	fc.integer({ min: 1, max: 300 }).map((times) => '日本語の文章です。'.repeat(times)),
	fc.integer({ min: 1, max: 200 }).map((times) => '👩‍👩‍👧‍👦🇯🇵'.repeat(times)),
	fc.string({ unit: 'grapheme', maxLength: 80 }),
);

const giant = fc.oneof(
	fc.nat(20).map((seed) => logLines(1200, seed)),
	fc.constant('x'.repeat(60_000)),
);

const part: fc.Arbitrary<ContentPart> = fc.oneof(
	{ weight: 4, arbitrary: text.map((value): ContentPart => ({ type: 'text', text: value })) },
	{
		weight: 1,
		arbitrary: fc.constant<ContentPart>({
			type: 'image',
			mediaType: 'image/png',
			data: pixel,
			width: 800,
			height: 600,
		}),
	},
	{
		weight: 1,
		arbitrary: text.map((value): ContentPart => ({ type: 'reasoning', text: value, signature: 'signed' })),
	},
	{ weight: 1, arbitrary: fc.constant<ContentPart>({ type: 'opaque', value: { type: 'other', secret: 1 } }) },
);

const content = fc.oneof(
	{ weight: 6, arbitrary: text },
	{ weight: 1, arbitrary: giant },
	{ weight: 2, arbitrary: fc.array(part, { maxLength: 4 }) },
);

const tools = fc.constantFrom('run', 'read_file', 'edit', 'skill', 'bash');

const args = fc.oneof(
	fc.constant({}),
	fc.constantFrom('a.ts', 'src/b.ts', './a.ts').map((path) => ({ path })),
	text.map((value) => ({ path: 'a.ts', new_string: value })),
	fc.constant({ command: 'cat a.ts' }),
);

/** Ids that repeat often. */
const callId = fc.nat(6).map((number) => `call_${number}`);

const batch: fc.Arbitrary<Draft[]> = fc
	.record({
		words: text,
		calls: fc.array(fc.record({ id: callId, name: tools, args }), { minLength: 1, maxLength: 4 }),
		results: fc.array(content, { minLength: 4, maxLength: 4 }),
		fate: fc.constantFrom(
			'whole',
			'whole',
			'whole',
			'whole',
			'reversed',
			'late',
			'missing',
			'twice',
			'aborted',
		),
		failed: fc.boolean(),
	})
	.map(({ words, calls, results, fate, failed }) => {
		const asked: Draft = {
			role: 'assistant',
			content: words,
			toolCalls: calls,
			...(fate === 'aborted' && { stopReason: 'aborted' }),
		};
		const answers = calls.map(
			({ id, name }, index): Draft => ({
				role: 'tool',
				toolCallId: id,
				toolName: name,
				content: results[index] ?? '',
				...(failed && index === 0 && { isError: true }),
			}),
		);
		const [first] = answers;
		if (fate === 'aborted') return [asked];
		if (fate === 'missing') return [asked, ...answers.slice(1)];
		if (fate === 'late' && first)
			return [asked, ...answers.slice(1), { role: 'user', content: 'wait' }, first];
		if (fate === 'twice' && first) return [asked, ...answers, first];
		return [asked, ...(fate === 'reversed' ? answers.reverse() : answers)];
	});

const single: fc.Arbitrary<Draft[]> = fc.oneof(
	{ weight: 4, arbitrary: content.map((value): Draft[] => [{ role: 'user', content: value }]) },
	{ weight: 4, arbitrary: content.map((value): Draft[] => [{ role: 'assistant', content: value }]) },
	{ weight: 1, arbitrary: text.map((value): Draft[] => [{ role: 'system', content: value }]) },
	{
		weight: 1,
		arbitrary: text.map((value): Draft[] => [{ role: 'user', content: value, metadata: { injected: true } }]),
	},
	{
		weight: 1,
		arbitrary: fc
			.record({ id: callId, content })
			.map((one): Draft[] => [{ role: 'tool', toolCallId: one.id, content: one.content }]),
	},
	{
		weight: 1,
		arbitrary: fc
			.record({ input: fc.integer({ min: 10, max: 40_000 }), words: text })
			.map(({ input, words }): Draft[] => [
				{ role: 'assistant', content: words, usage: { input, output: 20 } },
			]),
	},
	{
		weight: 1,
		arbitrary: fc.nat(500).map((tokens): Draft[] => [{ role: 'assistant', content: 'counted', tokens }]),
	},
);

/** Some consecutive messages. */
export const stretch: fc.Arbitrary<Draft[]> = fc
	.array(fc.oneof(single, batch), { minLength: 1, maxLength: 8 })
	.map((parts) => parts.flat());
