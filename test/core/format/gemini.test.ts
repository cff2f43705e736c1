import { describe, expect, it } from 'vitest';
import { geminiFormat } from '../../../server/core/format/gemini/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { validate } from '../../support/validate.ts';
import { appendedEntries, changedEntry } from './history.ts';

const call = (path: string) => ({ functionCall: { name: 'read', args: { path } } });
const response = (output: string) => ({ functionResponse: { name: 'read', response: { output } } });
const contents = [
	{ role: 'user', parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
	{
		role: 'model',
		parts: [
			{ text: 'Thinking.', thought: true },
			{ text: 'Reading.' },
			{ ...call('a'), thoughtSignature: 'c2ln' },
			call('b'),
		],
		usageMetadata: {
			promptTokenCount: 1000,
			cachedContentTokenCount: 900,
			candidatesTokenCount: 10,
			thoughtsTokenCount: 5,
		},
		finishReason: 'STOP',
	},
	{ role: 'user', parts: [response('alpha'), response('beta'), { text: 'And now?' }] },
	{
		role: 'model',
		parts: [{ executableCode: { language: 'PYTHON', code: '1' } }, { text: '', thoughtSignature: 'x' }],
	},
];

describe('reading', () => {
	it('the Gemini reader pairs calls and results by name and order', () => {
		expect(contents.flatMap((content) => geminiFormat.parse(content))).toEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look.' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
				],
			},
			{
				role: 'assistant',
				content: [
					{ type: 'reasoning', text: 'Thinking.' },
					{ type: 'text', text: 'Reading.' },
				],
				toolCalls: [
					{ id: 'read#0', name: 'read', args: { path: 'a' } },
					{ id: 'read#1', name: 'read', args: { path: 'b' } },
				],
				usage: { input: 100, output: 15, cacheRead: 900 },
				stopReason: 'stop',
			},
			{ role: 'tool', content: 'alpha', toolCallId: 'read#0', toolName: 'read' },
			{ role: 'tool', content: 'beta', toolCallId: 'read#1', toolName: 'read' },
			{ role: 'user', content: [{ type: 'text', text: 'And now?' }] },
			{
				role: 'assistant',
				content: [
					{ type: 'opaque', value: { executableCode: { language: 'PYTHON', code: '1' } } },
					{ type: 'text', text: '' },
				],
			},
		]);
	});

	it('the Gemini reader keeps wire ids, errors and structured responses', () => {
		const parts = [
			{ function_response: { id: 'x', name: 'f', response: { error: 'no' } } },
			{ functionResponse: { name: 'g', response: { rows: [1] } } },
		];
		expect(geminiFormat.parse({ role: 'function', parts })).toEqual([
			{ role: 'tool', content: 'no', toolCallId: 'x', toolName: 'f', isError: true },
			{ role: 'tool', content: '{"rows":[1]}', toolCallId: 'g#0', toolName: 'g' },
		]);
	});

	it.each([
		[{ role: 'user' }, 'parts: expected an array, got nothing'],
		[{ role: 'assistant', parts: [] }, 'role: expected "user", "model" or "function", got "assistant"'],
		[{ role: 'user', parts: [5] }, 'parts[0]: expected an object, got number 5'],
		[
			{ role: 'model', parts: [{ functionCall: {} }] },
			'parts[0].functionCall.name: expected a nonempty string, got nothing',
		],
	])('the Gemini reader refuses an invalid content and names the field (%#)', (raw, message) => {
		expect(() => geminiFormat.parse(raw)).toThrow(
			expect.objectContaining({ kind: 'InvalidParams', message }),
		);
	});
});

describe('writing', () => {
	it('the Gemini writer returns unchanged contents as they were, including thought signatures', () => {
		expect(rendered(geminiFormat, appendedEntries('gemini', contents))).toEqual({
			messages: contents,
			warnings: [],
		});
	});

	it('the Gemini writer shortens a response without changing its neighbours', () => {
		const entries = appendedEntries('gemini', contents);
		entries[3] = changedEntry(entries[3]!, { content: 'b…' });
		expect(rendered(geminiFormat, entries).messages[2]).toEqual({
			role: 'user',
			parts: [response('alpha'), response('b…'), { text: 'And now?' }],
		});
	});

	it('the Gemini writer keeps the signatures of calls in a changed answer', () => {
		const entries = appendedEntries('gemini', contents);
		entries[1] = changedEntry(entries[1]!, { content: [{ type: 'text', text: 'R…' }] });
		expect(rendered(geminiFormat, entries).messages[1]).toEqual({
			role: 'model',
			parts: [{ text: 'R…' }, { ...call('a'), thoughtSignature: 'c2ln' }, call('b')],
		});
	});

	it('the Gemini writer adds a short user content before a history that starts with the model', () => {
		const once = rendered(geminiFormat, appendedEntries('gemini', [contents[1], contents[2]])).messages;
		expect(once).toEqual([
			{ role: 'user', parts: [{ text: '(conversation continues)' }] },
			contents[1],
			contents[2],
		]);
		expect(rendered(geminiFormat, appendedEntries('gemini', once)).messages).toEqual(once);
	});

	it('the Gemini writer orders responses like their calls, in one content with the next user text', () => {
		const { messages, system } = rendered(
			geminiFormat,
			appendedEntries('contextd', [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: 'Go.' },
				{
					role: 'assistant',
					content: '',
					toolCalls: [
						{ id: '1', name: 'read', args: { path: 'a' } },
						{ id: '2', name: 'read', args: { path: 'b' } },
					],
				},
				{ role: 'tool', content: 'beta', toolCallId: '2' },
				{ role: 'tool', content: 'alpha', toolCallId: '1' },
				{ role: 'user', content: 'Next.' },
			]),
			{ model: 'gemini-3-pro' },
		);
		expect(system).toEqual({ parts: [{ text: 'Be brief.' }] });
		expect(messages).toEqual([
			{ role: 'user', parts: [{ text: 'Go.' }] },
			{
				role: 'model',
				parts: [{ ...call('a'), thoughtSignature: 'skip_thought_signature_validator' }, call('b')],
			},
			{ role: 'user', parts: [response('alpha'), response('beta'), { text: 'Next.' }] },
		]);
	});

	it('the Gemini writer names responses after the calls that they answer', () => {
		const { messages } = rendered(
			geminiFormat,
			appendedEntries('contextd', [
				{ role: 'user', content: 'Go.' },
				{
					role: 'assistant',
					content: '',
					toolCalls: [
						{ id: 'same', name: 'read', args: {} },
						{ id: 'other', name: 'run', args: {} },
						{ id: 'same', name: 'edit', args: {} },
					],
				},
				{ role: 'tool', content: 'alpha', toolCallId: 'same' },
				{ role: 'tool', content: 'beta', toolCallId: 'other', toolName: 'bash' },
				{ role: 'tool', content: 'gamma', toolCallId: 'same' },
			]),
		);
		expect(messages[2]).toEqual({
			role: 'user',
			parts: [
				{ functionResponse: { name: 'read', response: { output: 'alpha' } } },
				{ functionResponse: { name: 'run', response: { output: 'beta' } } },
				{ functionResponse: { name: 'edit', response: { output: 'gamma' } } },
			],
		});
		expect(validate(messages, 'gemini').problems).toEqual([]);
	});

	it('the Gemini writer renames a wire response without changing anything else', () => {
		const called = { role: 'model', parts: [{ functionCall: { id: 'x', name: 'read', args: {} } }] };
		const answered = (name: string) => ({
			role: 'user',
			parts: [{ function_response: { id: 'x', name, response: { rows: [1] } } }],
		});
		const { messages } = rendered(
			geminiFormat,
			appendedEntries('gemini', [contents[0], called, answered('fetch')]),
		);
		expect(messages).toEqual([contents[0], called, answered('read')]);
	});
});
