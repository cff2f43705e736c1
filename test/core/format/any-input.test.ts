import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../server/core/failure.ts';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import type { MessageReader } from '../../../server/core/format/validity/validate.ts';
import type { RenderEntry } from '../../../server/core/format/wire/adapter.ts';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { rendered } from '../../support/rendered.ts';
import { validate } from '../../support/validate.ts';
import { appendedEntries } from './history.ts';

/** Values of fields in messages of some format. */
const words = fc.constantFrom(
	...['user', 'assistant', 'model', 'tool', 'system', 'function', 'tool_call', 'tool_result'],
	...[
		'text',
		'thinking',
		'tool_use',
		'image',
		'image_url',
		'message',
		'reasoning',
		'function_call',
		'opaque',
	],
	...['tool-call', 'tool-result', 'file', 'content', 'json'],
	...['function_call_output', 'local_shell_call', 'computer_call_output', 'base64', 'a', ''],
);
/** Names of fields in messages of some format. */
const fields = fc.constantFrom(
	...[
		'role',
		'type',
		'content',
		'parts',
		'id',
		'name',
		'text',
		'tool_calls',
		'toolCalls',
		'function',
		'input',
	],
	...[
		'arguments',
		'source',
		'data',
		'tool_use_id',
		'tool_call_id',
		'call_id',
		'output',
		'functionCall',
		'action',
	],
	...[
		'functionResponse',
		'response',
		'args',
		'tool',
		'usage',
		'thinking',
		'signature',
		'summary',
		'image_url',
	],
	...['toolUse', 'toolResult', 'toolUseId', 'reasoningContent', 'reasoningText', 'json', 'format', 'bytes'],
	...['toolCallId', 'toolName', 'value', 'providerExecuted', 'providerOptions', 'mediaType', 'result'],
);
const { value: messageLike } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		words,
		fc.constantFrom<unknown>(null, 5, true),
		tie('object'),
		fc.array(tie('value'), { maxLength: 3 }),
	),
	object: fc.dictionary(fields, tie('value'), { maxKeys: 6 }),
}));

const roles = fc.constantFrom('user', 'assistant', 'model', 'tool', 'system', 'tool_call');
const almost = fc
	.tuple(
		roles,
		fc.constantFrom('content', 'parts'),
		messageLike,
		fc.dictionary(fields, messageLike, { maxKeys: 4 }),
	)
	.map(([role, field, value, more]) => ({ ...more, role, [field]: value }));

/** Returns the entries of a raw value; undefined if the format correctly refuses it. */
function entriesOf(name: FormatName, raw: unknown): RenderEntry[] {
	try {
		return appendedEntries(name, [raw]);
	} catch (error) {
		expect(error).toBeInstanceOf(Failure);
		expect(error).toMatchObject({ kind: 'InvalidParams', data: { field: expect.any(String) } });
		return [];
	}
}

it.each(formatNames.map((name) => [name]))(
	'the format %s reads any value or refuses it with its field, and every format can write the result',
	(name) => {
		fc.assert(
			fc.property(fc.oneof(almost, messageLike, fc.jsonValue()), (raw) => {
				const entries = entriesOf(name, raw);
				const isChanged = entries.map((entry) => ({ ...entry, isChanged: true }));
				for (const target of formatNames) {
					expect(rendered(getFormatAdapter(target), entries).messages).toBeInstanceOf(Array);
					expect(rendered(getFormatAdapter(target), isChanged).messages).toBeInstanceOf(Array);
				}
			}),
			{ numRuns: 400 },
		);
	},
);

it('an unknown format is refused with the known ones', () => {
	expect(() => getFormatAdapter('xml')).toThrow(
		expect.objectContaining({
			kind: 'UnsupportedFormat',
			message: expect.stringContaining('"openai-responses"'),
		}),
	);
});

it.each<MessageReader>([...formatNames, 'mistral', 'deepseek'])(
	'any values can be checked by the rules of %s',
	(reader) => {
		fc.assert(
			fc.property(fc.array(fc.oneof(almost, messageLike), { maxLength: 3 }), (messages) => {
				const { valid, problems } = validate(messages, reader);
				expect(valid).toBe(problems.length === 0);
			}),
			{ numRuns: 300 },
		);
	},
);
