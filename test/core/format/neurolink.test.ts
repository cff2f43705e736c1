import { expect, it } from 'vitest';
import { neurolinkFormat } from '../../../server/core/format/neurolink.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry } from './history.ts';

const rawMessage = [
	{ id: 'm1', role: 'user', content: 'Go.', timestamp: '2026-01-02T03:04:05.000Z', sessionId: 's' },
	{
		id: 'm2',
		role: 'tool_call',
		content: '',
		tool: 'read',
		args: { path: 'a' },
		metadata: { toolCallId: 'c1' },
	},
	{ id: 'm3', role: 'tool_result', content: 'alpha', tool: 'read', metadata: { toolCallId: 'c1' } },
	{ id: 'm4', role: 'tool_call', tool: 'list', args: {} },
	{ id: 'm5', role: 'tool_result', content: '', tool: 'list', result: { success: false, error: 'no' } },
	{ id: 'm6', role: 'assistant', content: 'Done.', events: [{ type: 'x' }] },
];

it('the NeuroLink format pairs calls and results by id, else by tool name', () => {
	expect(rawMessage.slice(1, 5).flatMap((raw) => neurolinkFormat.parse(raw))).toEqual([
		{
			id: 'm2',
			role: 'assistant',
			content: '',
			toolCalls: [{ id: 'c1', name: 'read', args: { path: 'a' } }],
			metadata: { toolCallId: 'c1' },
		},
		{
			id: 'm3',
			role: 'tool',
			content: 'alpha',
			toolCallId: 'c1',
			toolName: 'read',
			metadata: { toolCallId: 'c1' },
		},
		{ id: 'm4', role: 'assistant', content: '', toolCalls: [{ id: 'call_list', name: 'list', args: {} }] },
		{ id: 'm5', role: 'tool', content: 'no', toolCallId: 'call_list', toolName: 'list', isError: true },
	]);
	expect(neurolinkFormat.parse(rawMessage[0])[0]?.timestamp).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
});

it('the NeuroLink format returns unchanged messages as they were', () => {
	expect(rendered(neurolinkFormat, appendedEntries('neurolink', rawMessage))).toEqual({
		messages: rawMessage,
		warnings: [],
	});
});

it('the NeuroLink format marks a changed message and keeps its other fields', () => {
	const entries = appendedEntries('neurolink', rawMessage);
	entries[2] = changedEntry(entries[2]!, { content: 'a…' });
	expect(rendered(neurolinkFormat, entries).messages[2]).toEqual({
		...rawMessage[2],
		content: 'a…',
		metadata: { toolCallId: 'c1', truncated: true },
	});
});

it('the NeuroLink format writes separate messages for calls and results of another format', () => {
	const { messages, warnings } = rendered(
		neurolinkFormat,
		appendedEntries('contextd', [
			{
				id: 'a',
				role: 'assistant',
				content: [
					{ type: 'text', text: 'Reading.' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
				],
				toolCalls: [{ id: 'c', name: 'read', args: { path: 'a' } }],
			},
			{ id: 'r', role: 'tool', content: 'alpha', toolCallId: 'c' },
		]),
	);
	expect(messages).toEqual([
		{ id: 'a', role: 'assistant', content: 'Reading.' },
		{
			id: 'a#call1',
			role: 'tool_call',
			content: '',
			tool: 'read',
			args: { path: 'a' },
			metadata: { toolCallId: 'c' },
		},
		{ id: 'r', role: 'tool_result', content: 'alpha', tool: 'read', metadata: { toolCallId: 'c' } },
	]);
	expect(warnings).toEqual(['an image cannot be carried over to neurolink: left out of a']);
});

it('the NeuroLink format names results of calls with one id after these in order', () => {
	const { messages } = rendered(
		neurolinkFormat,
		appendedEntries('contextd', [
			{
				role: 'assistant',
				content: '',
				toolCalls: [
					{ id: 'c', name: 'read', args: {} },
					{ id: 'c', name: 'edit', args: {} },
				],
			},
			{ role: 'tool', content: 'alpha', toolCallId: 'c' },
			{ role: 'tool', content: 'beta', toolCallId: 'c' },
		]),
	);
	expect(messages.slice(2)).toMatchObject([
		{ role: 'tool_result', tool: 'read', content: 'alpha' },
		{ role: 'tool_result', tool: 'edit', content: 'beta' },
	]);
});

it.each([
	[
		{ role: 'tool', content: '' },
		'role: expected "user", "assistant", "system", "tool_call" or "tool_result", got "tool"',
	],
	[{ role: 'tool_call' }, 'tool: expected a nonempty string, got nothing'],
	[{ role: 'user' }, 'content: expected a string, got nothing'],
])('the NeuroLink format refuses an invalid message and names the field (%#)', (raw, message) => {
	expect(() => neurolinkFormat.parse(raw)).toThrow(
		expect.objectContaining({ kind: 'InvalidParams', message }),
	);
});
