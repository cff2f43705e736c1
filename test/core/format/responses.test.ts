import { describe, expect, it } from 'vitest';
import { openaiResponsesFormat } from '../../../server/core/format/responses/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry } from './history.ts';

const items = [
	{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
	{
		role: 'user',
		content: [
			{ type: 'input_text', text: 'Look.' },
			{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' },
			{ type: 'input_file', file_id: 'file_1' },
		],
	},
	{
		type: 'reasoning',
		id: 'rs_1',
		summary: [{ type: 'summary_text', text: 'Plan.' }],
		encrypted_content: 'b3BhcXVl',
	},
	{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
	{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'patch', input: '*** Begin' },
	{ type: 'local_shell_call', id: 'lsh_1', call_id: 'call_3', action: { type: 'exec', command: ['ls'] } },
	{ type: 'function_call_output', call_id: 'call_1', output: 'alpha' },
	{ type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done!' },
	{ type: 'local_shell_call_output', call_id: 'call_3', output: '{"stdout":"a"}' },
	{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
	{ type: 'compaction', id: 'cmp_1', encrypted_content: 'b3BhcXVl' },
	{
		type: 'message',
		id: 'msg_1',
		role: 'assistant',
		status: 'completed',
		content: [{ type: 'output_text', text: 'Done.', annotations: [{ type: 'url_citation' }] }],
	},
];

describe('reading', () => {
	it('the Responses reader converts every item to one message', () => {
		const messages = items.flatMap((item) => openaiResponsesFormat.parse(item));
		expect(messages).toEqual([
			{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look.' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA', detail: 'high' },
					{ type: 'opaque', value: { type: 'input_file', file_id: 'file_1' } },
				],
			},
			{
				id: 'rs_1',
				role: 'assistant',
				content: [{ type: 'reasoning', text: 'Plan.', signature: 'b3BhcXVl' }],
			},
			{
				id: 'fc_1',
				role: 'assistant',
				content: [],
				toolCalls: [{ id: 'call_1', name: 'read', args: { path: 'a' } }],
			},
			{
				id: 'ctc_1',
				role: 'assistant',
				content: [],
				toolCalls: [{ id: 'call_2', name: 'patch', args: '*** Begin' }],
			},
			{
				id: 'lsh_1',
				role: 'assistant',
				content: [],
				toolCalls: [{ id: 'call_3', name: 'local_shell', args: { type: 'exec', command: ['ls'] } }],
			},
			{ role: 'tool', content: 'alpha', toolCallId: 'call_1' },
			{ role: 'tool', content: 'Done!', toolCallId: 'call_2' },
			{ role: 'tool', content: '{"stdout":"a"}', toolCallId: 'call_3' },
			{ id: 'ws_1', role: 'assistant', content: [{ type: 'opaque', value: items[9] }] },
			{ id: 'cmp_1', role: 'assistant', content: [{ type: 'opaque', value: items[10] }] },
			{ id: 'msg_1', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
		]);
	});

	it.each([
		[{}, 'type: expected a nonempty string, got nothing'],
		[
			{ role: 'tool', content: '' },
			'role: expected "user", "assistant", "system" or "developer", got "tool"',
		],
		[{ type: 'function_call', call_id: 'a', name: 'f' }, 'arguments: expected a string, got nothing'],
		[{ type: 'function_call_output', output: '' }, 'call_id: expected a string, got nothing'],
	])('the Responses reader refuses an invalid item and names the field (%#)', (raw, message) => {
		expect(() => openaiResponsesFormat.parse(raw)).toThrow(
			expect.objectContaining({ kind: 'InvalidParams', message }),
		);
	});
});

describe('writing', () => {
	it('the Responses writer returns unchanged items as they were', () => {
		expect(rendered(openaiResponsesFormat, appendedEntries('openai-responses', items))).toEqual({
			messages: items,
			warnings: [],
		});
	});

	it('the Responses writer keeps the type and other fields of changed items', () => {
		const entries = appendedEntries('openai-responses', items);
		entries[7] = changedEntry(entries[7]!, { content: 'D…' });
		entries[11] = changedEntry(entries[11]!, { content: 'Do…' });
		const { messages } = rendered(openaiResponsesFormat, entries);
		expect(messages[7]).toEqual({ type: 'custom_tool_call_output', call_id: 'call_2', output: 'D…' });
		expect(messages[11]).toEqual({
			type: 'message',
			id: 'msg_1',
			role: 'assistant',
			status: 'completed',
			content: 'Do…',
		});
	});

	it('the Responses writer keeps the input of a changed custom call as free text', () => {
		const entries = appendedEntries('openai-responses', [items[4]]);
		const toolCalls = [{ id: 'call_2', name: 'patch', args: '5' }];
		entries[0] = changedEntry(entries[0]!, { toolCalls });
		expect(rendered(openaiResponsesFormat, entries).messages).toEqual([{ ...items[4], input: '5' }]);
	});

	it('the Responses writer drops reasoning whose answer is gone, and reports it', () => {
		const entries = appendedEntries('openai-responses', [items[1], items[2], items[1]]);
		expect(rendered(openaiResponsesFormat, entries)).toEqual({
			messages: [items[1], items[1]],
			warnings: [
				'reasoning whose answer is gone cannot be carried over to openai-responses: left out of rs_1',
			],
		});
	});

	it('the Responses writer converts a session of another format to items', () => {
		const { messages, warnings } = rendered(
			openaiResponsesFormat,
			appendedEntries('contextd', [
				{ role: 'user', content: 'Go.' },
				{
					role: 'assistant',
					content: [
						{ type: 'reasoning', text: 'hm', signature: 's' },
						{ type: 'text', text: 'Reading.' },
					],
					toolCalls: [{ id: 'c', name: 'read', args: { path: 'a' } }],
				},
				{
					role: 'tool',
					content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
					toolCallId: 'c',
				},
			]),
		);
		expect(messages).toEqual([
			{ type: 'message', role: 'user', content: 'Go.' },
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
			{ type: 'function_call', call_id: 'c', name: 'read', arguments: '{"path":"a"}' },
			{
				type: 'function_call_output',
				call_id: 'c',
				output: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }],
			},
		]);
		expect(warnings).toHaveLength(1);
	});
});

describe('an answer whose beginning is gone', () => {
	const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'b3BhcXVl' };
	const user = { type: 'message', role: 'user', content: 'Go.' };
	const call = (index: number) => ({
		type: 'function_call',
		id: `fc_${index}`,
		call_id: `c${index}`,
		name: 'f',
		arguments: '{}',
	});
	const output = (index: number) => ({ type: 'function_call_output', call_id: `c${index}`, output: 'x' });
	const answer = [user, reasoning, call(1), call(2), output(1), output(2)];

	it('the Responses writer removes ids that would require missing reasoning', () => {
		const [first, , ...rest] = appendedEntries('openai-responses', answer);
		const [one, two, ...outputs] = rest;
		const entries = [
			first!,
			{ ...one!, cut: 'within its answer' as const },
			{ ...two!, cut: 'earlier in its answer' as const },
			...outputs,
		];
		const { id: _, ...withoutFirstId } = call(1);
		const { id: __, ...withoutSecondId } = call(2);
		expect(rendered(openaiResponsesFormat, entries).messages).toEqual([
			user,
			withoutFirstId,
			withoutSecondId,
			output(1),
			output(2),
		]);
	});

	it('the Responses writer keeps ids if the reasoning is still there', () => {
		const entries = appendedEntries('openai-responses', answer).map((entry, index) =>
			index === 1 ? { ...entry, cut: 'within its answer' as const } : entry,
		);
		expect(rendered(openaiResponsesFormat, entries).messages).toEqual(answer);
	});

	it('the Responses writer drops and reports items that the API executed itself', () => {
		const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
		const entries = appendedEntries('openai-responses', [user, search]).map((entry, index) =>
			index === 1 ? { ...entry, cut: 'within its answer' as const } : entry,
		);
		const { messages, warnings } = rendered(openaiResponsesFormat, entries);
		expect(messages).toEqual([user]);
		expect(warnings).toEqual([expect.stringContaining('ws_1')]);
	});

	it('the Responses writer drops reasoning whose own call is gone even if another answer follows', () => {
		const entries = appendedEntries('openai-responses', [user, reasoning, call(2), output(2)]).map(
			(entry, index) => (index === 2 ? { ...entry, cut: 'before' as const } : entry),
		);
		expect(rendered(openaiResponsesFormat, entries).messages).toEqual([user, call(2), output(2)]);
	});
});
