import { describe, expect, it } from 'vitest';
import { aiSdkFormat } from '../../../server/core/format/aiSdk/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry } from './history.ts';

const call = (toolCallId: string, input: unknown = {}) => ({
	type: 'tool-call',
	toolCallId,
	toolName: 'read',
	input,
});
const result = (toolCallId: string, output: unknown) => ({
	type: 'tool-result',
	toolCallId,
	toolName: 'read',
	output,
});
const text = (value: string) => ({ type: 'text', value });
const user = { role: 'user', content: 'Fix it.' };

describe('reading', () => {
	it('the AI SDK reader splits a tool message into one message per result, by type of output', () => {
		const outputs = [
			text('alpha'),
			{ type: 'json', value: { n: 1 } },
			{ type: 'error-text', value: 'failed' },
			{ type: 'execution-denied', reason: 'not now' },
			{
				type: 'content',
				value: [
					{ type: 'text', text: 'see' },
					{ type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
				],
			},
		];
		const raw = { role: 'tool', content: outputs.map((output, index) => result(`c${index}`, output)) };
		expect(aiSdkFormat.parse(raw)).toEqual([
			{ role: 'tool', toolCallId: 'c0', toolName: 'read', content: 'alpha' },
			{ role: 'tool', toolCallId: 'c1', toolName: 'read', content: '{"n":1}' },
			{ role: 'tool', toolCallId: 'c2', toolName: 'read', content: 'failed', isError: true },
			{ role: 'tool', toolCallId: 'c3', toolName: 'read', content: 'not now', isError: true },
			{
				role: 'tool',
				toolCallId: 'c4',
				toolName: 'read',
				content: [
					{ type: 'text', text: 'see' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
				],
			},
		]);
	});

	it('the AI SDK reader reads calls and results of versions before 5', () => {
		const args = { type: 'tool-call', toolCallId: 'c', toolName: 'read', args: { path: 'a.ts' } };
		expect(aiSdkFormat.parse({ role: 'assistant', content: [args] })).toEqual([
			{ role: 'assistant', content: [], toolCalls: [{ id: 'c', name: 'read', args: { path: 'a.ts' } }] },
		]);
		const old = { type: 'tool-result', toolCallId: 'c', toolName: 'read', result: { n: 1 }, isError: true };
		expect(aiSdkFormat.parse({ role: 'tool', content: [old] })).toEqual([
			{ role: 'tool', toolCallId: 'c', toolName: 'read', content: '{"n":1}', isError: true },
		]);
	});

	it('the AI SDK reader expects no result for a call that the provider answers itself', () => {
		const own = { ...call('ws'), providerExecuted: true };
		const answer = result('ws', { type: 'json', value: [] });
		const [message] = aiSdkFormat.parse({ role: 'assistant', content: [own, answer] });
		expect(message).toEqual({
			role: 'assistant',
			content: [
				{ type: 'opaque', value: own },
				{ type: 'opaque', value: answer },
			],
		});
	});

	it('the AI SDK reader distinguishes images by location, bytes or data URL', () => {
		const image = (held: string) => ({ type: 'image', image: held, mediaType: 'image/png' });
		const content = [image('https://example.org/a.png'), image('AAAA'), image('data:image/gif;base64,BBBB')];
		expect(aiSdkFormat.parse({ role: 'user', content })[0]?.content).toEqual([
			{ type: 'image', mediaType: 'image/*', uri: 'https://example.org/a.png' },
			{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
			{ type: 'image', mediaType: 'image/gif', data: 'BBBB' },
		]);
	});

	it('the AI SDK reader treats an answer to an approval request as injected', () => {
		const approval = { type: 'tool-approval-response', approvalId: 'p', approved: true };
		expect(aiSdkFormat.parse({ role: 'tool', content: [approval] })).toEqual([
			{ role: 'user', content: [{ type: 'opaque', value: approval }], metadata: { injected: true } },
		]);
	});

	it.each([
		[{ role: 'model', content: '' }, 'role: expected "system", "user", "assistant" or "tool", got "model"'],
		[{ role: 'tool', content: 'x' }, 'content: expected an array, got "x"'],
		[
			{ role: 'tool', content: [{ type: 'tool-result', output: text('x') }] },
			'content[0].toolCallId: expected a string, got nothing',
		],
	])('the AI SDK reader refuses an invalid message and names the field (%#)', (raw, message) => {
		expect(() => aiSdkFormat.parse(raw)).toThrow(expect.objectContaining({ kind: 'InvalidParams', message }));
	});
});

describe('writing', () => {
	const signed = { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'c2ln' } } };
	const answer = { role: 'assistant', content: [signed, call('a', { path: 'a.ts' }), call('b')] };
	const results = { role: 'tool', content: [result('a', text('alpha')), result('b', text('beta'))] };

	it('the AI SDK writer keeps a shortened result in one message with its neighbours', () => {
		const entries = appendedEntries('ai-sdk', [user, answer, results]);
		entries[2] = changedEntry(entries[2]!, { content: 'a…' });
		expect(rendered(aiSdkFormat, entries)).toEqual({
			messages: [
				user,
				answer,
				{ role: 'tool', content: [result('a', text('a…')), result('b', text('beta'))] },
			],
			warnings: [],
		});
	});

	it('the AI SDK writer keeps results separate that the client sent separately', () => {
		const apart = [
			{ role: 'tool', content: [result('a', text('alpha'))] },
			{ role: 'tool', content: [result('b', text('beta'))] },
		];
		expect(
			rendered(aiSdkFormat, appendedEntries('ai-sdk', [user, answer, ...apart])).messages.slice(2),
		).toEqual(apart);
	});

	it('the AI SDK writer keeps signed reasoning of a changed answer, and drops it if edited', () => {
		const entries = appendedEntries('ai-sdk', [user, answer, results]);
		const whole = changedEntry(entries[1]!, { toolCalls: [entries[1]!.message.toolCalls![0]!] });
		expect(rendered(aiSdkFormat, [entries[0]!, whole, entries[2]!]).messages[1]).toEqual({
			role: 'assistant',
			content: [signed, call('a', { path: 'a.ts' })],
		});
		entries[1] = changedEntry(entries[1]!, {
			content: [{ type: 'reasoning', text: 'H', signature: 'c2ln' }],
		});
		const { messages, warnings } = rendered(aiSdkFormat, entries);
		expect(messages[1]).toEqual({ role: 'assistant', content: answer.content.slice(1) });
		expect(warnings).toEqual([
			'signed reasoning that was changed cannot be carried over to ai-sdk: left out of ai-sdk-1-0',
		]);
	});

	it('the AI SDK writer joins the results of another format in one message with tool names', () => {
		const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} });
		const { messages } = rendered(
			aiSdkFormat,
			appendedEntries('anthropic', [
				user,
				{ role: 'assistant', content: [use('x'), use('y')] },
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: 'x', content: 'one' },
						{ type: 'tool_result', tool_use_id: 'y', content: 'two', is_error: true },
					],
				},
			]),
		);
		expect(messages).toEqual([
			user,
			{ role: 'assistant', content: [call('x'), call('y')] },
			{
				role: 'tool',
				content: [result('x', text('one')), result('y', { type: 'error-text', value: 'two' })],
			},
		]);
	});
});
