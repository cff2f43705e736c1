import { describe, expect, it } from 'vitest';
import { anthropicFormat } from '../../../server/core/format/anthropic/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry, createdEntry } from './history.ts';

const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' };
const redacted = { type: 'redacted_thinking', data: 'b3BhcXVl' };
const callA = { type: 'tool_use', id: 'toolu_a', name: 'read', input: { path: 'a.ts' } };
const callB = { type: 'tool_use', id: 'toolu_b', name: 'bash', input: { command: 'ls' } };
const turns = [
	{ role: 'user', content: 'Fix it.' },
	{
		id: 'msg_1',
		role: 'assistant',
		content: [
			thinking,
			redacted,
			{ type: 'text', text: 'Looking.', citations: null },
			callA,
			thinking,
			callB,
		],
		usage: {
			input_tokens: 10,
			output_tokens: 20,
			cache_read_input_tokens: 300,
			cache_creation_input_tokens: 40,
		},
		stop_reason: 'tool_use',
	},
	{
		role: 'user',
		content: [
			{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'alpha', cache_control: { type: 'ephemeral' } },
			{
				type: 'tool_result',
				tool_use_id: 'toolu_b',
				is_error: true,
				content: [
					{ type: 'text', text: 'failed' },
					{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
				],
			},
			{ type: 'text', text: 'And now?', cache_control: { type: 'ephemeral' } },
			{ type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } },
		],
	},
	{
		role: 'assistant',
		content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
	},
];

describe('reading', () => {
	it('the Anthropic reader splits a user message into its results and text, results first', () => {
		expect(anthropicFormat.parse(turns[2])).toEqual([
			{ role: 'tool', content: 'alpha', toolCallId: 'toolu_a' },
			{
				role: 'tool',
				content: [
					{ type: 'text', text: 'failed' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
				],
				toolCallId: 'toolu_b',
				isError: true,
			},
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'And now?' },
					{
						type: 'opaque',
						value: { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } },
					},
				],
			},
		]);
	});

	it('the Anthropic reader reads reasoning, calls, usage and stop reason of an answer', () => {
		expect(anthropicFormat.parse(turns[1])).toEqual([
			{
				id: 'msg_1',
				role: 'assistant',
				content: [
					{ type: 'reasoning', text: 'Let me see.', signature: 'c2ln' },
					{ type: 'opaque', value: redacted },
					{ type: 'text', text: 'Looking.' },
					{ type: 'reasoning', text: 'Let me see.', signature: 'c2ln' },
				],
				toolCalls: [
					{ id: 'toolu_a', name: 'read', args: { path: 'a.ts' } },
					{ id: 'toolu_b', name: 'bash', args: { command: 'ls' } },
				],
				usage: { input: 10, output: 20, cacheRead: 300, cacheWrite: 40 },
				stopReason: 'tool',
			},
		]);
	});

	it.each([
		[{ role: 'tool', content: '' }, 'role: expected "user", "assistant" or "system", got "tool"'],
		[{ role: 'user', content: 5 }, 'content: expected a string or an array of blocks, got number 5'],
		[{ role: 'user', content: ['x'] }, 'content[0]: expected an object, got "x"'],
		[
			{ role: 'user', content: [{ type: 'tool_result' }] },
			'content[0].tool_use_id: expected a string, got nothing',
		],
		[
			{ role: 'assistant', content: [{ type: 'tool_use', name: 'x' }] },
			'content[0].id: expected a string, got nothing',
		],
	])('the Anthropic reader refuses an invalid message and names the field (%#)', (raw, message) => {
		expect(() => anthropicFormat.parse(raw)).toThrow(
			expect.objectContaining({ kind: 'InvalidParams', message }),
		);
	});
});

describe('writing', () => {
	it('the Anthropic writer returns unchanged turns as they were, with thinking, citations and cache marks', () => {
		expect(rendered(anthropicFormat, appendedEntries('anthropic', turns))).toEqual({
			messages: turns,
			warnings: [],
		});
	});

	it('the Anthropic writer shortens a result without changing its neighbours', () => {
		const entries = appendedEntries('anthropic', turns);
		entries[2] = changedEntry(entries[2]!, { content: 'a…' });
		const content = turns[2]!.content as { content?: unknown }[];
		expect(rendered(anthropicFormat, entries).messages[2]).toEqual({
			role: 'user',
			content: [{ ...content[0], content: 'a…' }, ...content.slice(1)],
		});
	});

	it('the Anthropic writer keeps the position of signed thinking among the calls of a changed answer', () => {
		const entries = appendedEntries('anthropic', turns);
		const parts = entries[1]!.message.content;
		if (typeof parts === 'string') throw new Error('expected parts');
		const shorter = parts.map((part) => (part.type === 'text' ? { ...part, text: 'L…' } : part));
		entries[1] = changedEntry(entries[1]!, { content: shorter });
		expect(rendered(anthropicFormat, entries).messages[1]).toEqual({
			role: 'assistant',
			content: [thinking, redacted, { type: 'text', text: 'L…' }, callA, thinking, callB],
		});
	});

	it('the Anthropic writer drops edited signed thinking and reports it', () => {
		const entries = appendedEntries('anthropic', turns.slice(0, 2));
		entries[1] = changedEntry(entries[1]!, {
			content: [
				{ type: 'reasoning', text: 'Let…', signature: 'c2ln' },
				{ type: 'text', text: 'Looking.' },
			],
		});
		const { messages, warnings } = rendered(anthropicFormat, entries);
		const { content } = turns[1] as { content: unknown[] };
		expect(messages[1]).toEqual({ role: 'assistant', content: [content[2], callA, callB] });
		expect(warnings).toEqual([
			'signed reasoning that was changed cannot be carried over to anthropic: left out of msg_1',
		]);
	});

	it('the Anthropic writer merges consecutive messages of one role without changing their blocks', () => {
		const first = { role: 'assistant', content: [thinking, { type: 'text', text: 'One.' }] };
		const second = { role: 'assistant', content: 'Two.' };
		const { messages } = rendered(anthropicFormat, appendedEntries('anthropic', [turns[0], first, second]));
		expect(messages).toEqual([
			turns[0],
			{
				role: 'assistant',
				content: [thinking, { type: 'text', text: 'One.' }, { type: 'text', text: 'Two.' }],
			},
		]);
	});

	it('the Anthropic writer moves system messages outside, starts with the user and drops empty texts', () => {
		const { messages, system } = rendered(
			anthropicFormat,
			appendedEntries('contextd', [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'assistant', content: 'Hello.' },
				{ role: 'user', content: '  ' },
				{ role: 'assistant', content: 'Still here.' },
			]),
		);
		expect(system).toEqual([{ type: 'text', text: 'Be brief.' }]);
		expect(messages).toEqual([
			{ role: 'user', content: '(conversation continues)' },
			{
				role: 'assistant',
				content: [
					{ type: 'text', text: 'Hello.' },
					{ type: 'text', text: 'Still here.' },
				],
			},
		]);
	});

	it('the Anthropic writer moves results to the front of the user message after their calls', () => {
		const { messages } = rendered(
			anthropicFormat,
			appendedEntries('anthropic', [
				turns[0],
				{ role: 'assistant', content: [callA] },
				{
					role: 'user',
					content: [
						{ type: 'text', text: 'note' },
						{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' },
					],
				},
			]),
		);
		expect(messages[2]).toEqual({
			role: 'user',
			content: [
				{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' },
				{ type: 'text', text: 'note' },
			],
		});
	});

	it('the Anthropic writer drops thinking at the end of an answer', () => {
		const { messages } = rendered(
			anthropicFormat,
			appendedEntries('anthropic', [
				turns[0],
				{ role: 'assistant', content: [{ type: 'text', text: 'Hm.' }, thinking] },
				{ role: 'user', content: 'Go on.' },
			]),
		);
		expect(messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] });
	});

	it('the Anthropic writer replaces a repeated id in its call and its result', () => {
		const call = { role: 'assistant', content: [callA] };
		const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' }] };
		const { messages } = rendered(
			anthropicFormat,
			appendedEntries('anthropic', [turns[0], call, result, call, result]),
		);
		expect(messages.slice(0, 3)).toEqual([turns[0], call, result]);
		const [again] = (messages[3] as { content: { id: string }[] }).content;
		const [answer] = (messages[4] as { content: { tool_use_id: string }[] }).content;
		expect(again!.id).toMatch(/^toolu_[0-9a-z]{13}$/);
		expect(answer!.tool_use_id).toBe(again!.id);
	});

	it('the Anthropic writer writes a session of another format, and reports what is omitted', () => {
		const { messages, warnings } = rendered(anthropicFormat, [
			...appendedEntries('openai', [
				{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
				{
					role: 'assistant',
					content: null,
					reasoning_content: 'hm',
					tool_calls: [{ id: 'call.1', type: 'function', function: { name: 'read', arguments: '"x"' } }],
				},
				{ role: 'tool', tool_call_id: 'call.1', content: 'ok' },
			]),
			createdEntry({ id: 's', role: 'user', content: 'Summary', metadata: { isSummary: true } }),
		]);
		const { id } = (messages[1] as { content: { id: string }[] }).content[0]!;
		expect(messages).toEqual([
			{
				role: 'user',
				content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
			},
			{ role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { value: 'x' } }] },
			{
				role: 'user',
				content: [
					{ type: 'tool_result', tool_use_id: id, content: 'ok' },
					{ type: 'text', text: 'Summary' },
				],
			},
		]);
		expect(warnings).toEqual([
			'reasoning that this provider did not sign cannot be carried over to anthropic: left out of openai-1-0',
		]);
	});
});
