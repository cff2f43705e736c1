import { describe, expect, it } from 'vitest';
import { openaiFormat } from '../../../server/core/format/openai/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry } from './history.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } };
const allTurns = [
	{ role: 'developer', content: 'Be brief.' },
	{
		role: 'user',
		name: 'ada',
		content: [
			{ type: 'text', text: 'Listen and look.' },
			{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
			{ type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
		],
	},
	{ role: 'assistant', content: null, tool_calls: [call], refusal: null, annotations: [] },
	{ role: 'tool', tool_call_id: 'call_1', content: 'alpha' },
	{ role: 'assistant', content: 'No.', refusal: 'I cannot.', audio: { id: 'audio_1' } },
	{ role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
	{ role: 'function', name: 'old', content: 'done' },
];

describe('reading', () => {
	it('the OpenAI reader reads messages of every role', () => {
		expect(allTurns.flatMap((turn) => openaiFormat.parse(turn))).toEqual([
			{ role: 'system', content: 'Be brief.' },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Listen and look.' },
					{ type: 'opaque', value: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } } },
					{ type: 'image', mediaType: 'image/*', uri: 'https://example.org/a.png', detail: 'low' },
				],
			},
			{ role: 'assistant', content: [], toolCalls: [{ id: 'call_1', name: 'read', args: { path: 'a.ts' } }] },
			{ role: 'tool', content: 'alpha', toolCallId: 'call_1' },
			{
				role: 'assistant',
				content: [
					{ type: 'text', text: 'No.' },
					{ type: 'opaque', value: { type: 'refusal', refusal: 'I cannot.' } },
					{ type: 'opaque', value: { type: 'audio', audio: { id: 'audio_1' } } },
				],
			},
			{ role: 'assistant', content: [], toolCalls: [{ id: 'function_old', name: 'old', args: {} }] },
			{ role: 'tool', content: 'done', toolCallId: 'function_old', toolName: 'old' },
		]);
	});

	it('the OpenAI reader keeps arguments that are not JSON, and excludes cached tokens from usage', () => {
		const [message] = openaiFormat.parse({
			role: 'assistant',
			content: '',
			reasoning_content: 'hm',
			tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"half' } }],
			usage: { prompt_tokens: 1000, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 900 } },
			finish_reason: 'tool_calls',
		});
		expect(message).toEqual({
			role: 'assistant',
			content: [{ type: 'reasoning', text: 'hm' }],
			toolCalls: [{ id: 'c', name: 'f', args: '{"half' }],
			usage: { input: 100, output: 20, cacheRead: 900 },
			stopReason: 'tool',
		});
	});

	it.each([
		[[], 'message: expected an object, got an array'],
		[{ role: 'tool', content: 'x' }, 'tool_call_id: expected a string, got nothing'],
		[{ role: 'user', content: 7 }, 'content: expected a string, an array of parts or null, got number 7'],
		[{ role: 'assistant', tool_calls: {} }, 'tool_calls: expected an array, got an object'],
		[
			{ role: 'assistant', tool_calls: [{ id: 'a' }] },
			'tool_calls[0].function: expected an object, got nothing',
		],
	])('the OpenAI reader refuses an invalid message and names the field (%#)', (raw, message) => {
		expect(() => openaiFormat.parse(raw)).toThrow(
			expect.objectContaining({ kind: 'InvalidParams', message }),
		);
	});
});

describe('writing', () => {
	it('the OpenAI writer returns unchanged messages as they were', () => {
		expect(rendered(openaiFormat, appendedEntries('openai', allTurns))).toEqual({
			messages: allTurns,
			warnings: [],
		});
	});

	it('the OpenAI writer keeps ids that repeat in later turns', () => {
		const turns = [allTurns[1], allTurns[2], allTurns[3], allTurns[2], allTurns[3]];
		expect(rendered(openaiFormat, appendedEntries('openai', turns)).messages).toEqual(turns);
	});

	it('the OpenAI writer keeps the other fields of a changed message', () => {
		const entries = appendedEntries('openai', allTurns);
		entries[1] = changedEntry(entries[1]!, { content: 'Listen…' });
		entries[6] = changedEntry(entries[6]!, { content: 'd…' });
		const { messages } = rendered(openaiFormat, entries);
		expect(messages[1]).toEqual({ role: 'user', name: 'ada', content: 'Listen…' });
		expect(messages[6]).toEqual({ role: 'function', name: 'old', content: 'd…' });
	});

	it('the OpenAI writer joins calls that one answer made in several messages', () => {
		const { messages } = rendered(
			openaiFormat,
			appendedEntries('contextd', [
				{ role: 'user', content: 'Go.' },
				{ role: 'assistant', content: 'Both.', toolCalls: [{ id: 'a', name: 'f', args: {} }] },
				{ role: 'assistant', content: '', toolCalls: [{ id: 'b', name: 'g', args: { x: 1 } }] },
				{ role: 'tool', content: '1', toolCallId: 'a' },
				{ role: 'tool', content: '2', toolCallId: 'b' },
			]),
		);
		expect(messages[1]).toEqual({
			role: 'assistant',
			content: 'Both.',
			tool_calls: [
				{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
				{ id: 'b', type: 'function', function: { name: 'g', arguments: '{"x":1}' } },
			],
		});
	});

	it('the OpenAI writer gives Mistral ids of nine letters and digits, and no user directly after a tool', () => {
		const { messages } = rendered(
			openaiFormat,
			appendedEntries('openai', [allTurns[1], allTurns[2], allTurns[3], allTurns[1]]),
			{
				provider: 'mistral',
			},
		);
		const { id } = (messages[1] as { tool_calls: { id: string }[] }).tool_calls[0]!;
		expect(id).toMatch(/^[a-z0-9]{9}$/);
		expect(messages[2]).toEqual({ role: 'tool', tool_call_id: id, content: 'alpha' });
		expect(messages.map((message) => (message as { role: string }).role)).toEqual([
			'user',
			'assistant',
			'tool',
			'assistant',
			'user',
		]);
	});

	it('the OpenAI writer sends a system message after an answer to Mistral as a user message', () => {
		const system = { role: 'system', content: 'Be brief.' };
		const said = { role: 'assistant', content: 'ok' };
		const asked = { role: 'user', content: 'go' };
		const { messages } = rendered(
			openaiFormat,
			appendedEntries('openai', [system, asked, said, system, asked]),
			{
				provider: 'mistral',
			},
		);
		expect(messages).toEqual([system, asked, said, { role: 'user', content: 'Be brief.' }, asked]);
	});

	it('the OpenAI writer sends DeepSeek only the reasoning of the current turn', () => {
		const thought = { ...allTurns[2], reasoning_content: 'hm' };
		const turns = [
			{ role: 'user', content: '1' },
			thought,
			allTurns[3],
			{ role: 'user', content: '2' },
			thought,
			allTurns[3],
		];
		const entries = appendedEntries('openai', turns);
		const { messages } = rendered(openaiFormat, entries, { model: 'deepseek-chat' });
		expect(messages).toEqual([turns[0], allTurns[2], ...turns.slice(2)]);
		expect(rendered(openaiFormat, entries).messages).toEqual(turns);
	});

	it('the OpenAI writer reports an image in a tool result as omitted', () => {
		const { messages, warnings } = rendered(
			openaiFormat,
			appendedEntries('anthropic', [
				{ role: 'user', content: 'Look.' },
				{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'see', input: {} }] },
				{
					role: 'user',
					content: [
						{
							type: 'tool_result',
							tool_use_id: 't',
							content: [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
						},
					],
				},
			]),
		);
		expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 't', content: '(image left out)' });
		expect(warnings).toEqual([
			'an image in a message of role "tool" cannot be carried over to openai: left out of anthropic-2-0',
		]);
	});
});
