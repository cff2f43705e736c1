import { expect, it } from 'vitest';
import { contextdFormat } from '../../../server/core/format/contextd.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry, createdEntry } from './history.ts';

const rawMessage = [
	{ role: 'system', content: 'Be brief.' },
	{ id: 'u1', role: 'user', content: [{ type: 'text', text: 'hi' }], mood: 'curious' },
	{
		role: 'assistant',
		content: [{ type: 'reasoning', text: 'hm', signature: 's' }],
		toolCalls: [{ id: 'c', name: 'read', args: { path: 'a' } }],
		usage: { input: 5, output: 2 },
	},
	{ role: 'tool', content: 'body', toolCallId: 'c', extra: { deep: [1] } },
];

it('the neutral format returns unchanged messages as appended, including unknown fields', () => {
	const { messages, warnings } = rendered(contextdFormat, appendedEntries('contextd', rawMessage));
	expect(messages).toEqual(rawMessage);
	expect(warnings).toEqual([]);
});

it('the neutral format shows the assigned id of an unchanged message on request', () => {
	const { messages } = rendered(contextdFormat, appendedEntries('contextd', rawMessage), {
		assignedIds: 'shown',
	});
	expect(messages[0]).toEqual({ id: 'contextd-0-0', role: 'system', content: 'Be brief.' });
	expect(messages[1]).toEqual(rawMessage[1]);
});

it('the neutral format marks a changed message and keeps its unknown fields', () => {
	const entries = appendedEntries('contextd', rawMessage);
	entries[3] = changedEntry(entries[3]!, { content: 'b…' });
	expect(rendered(contextdFormat, entries).messages[3]).toEqual({
		id: 'contextd-3-0',
		role: 'tool',
		content: 'b…',
		toolCallId: 'c',
		extra: { deep: [1] },
		metadata: { truncated: true },
	});
});

it('the neutral format returns messages that the daemon made unchanged', () => {
	const summary = { id: 's', role: 'user' as const, content: 'Summary', metadata: { isSummary: true } };
	expect(
		rendered(contextdFormat, [createdEntry(summary), { ...createdEntry(summary), isChanged: true }]).messages,
	).toEqual([summary, summary]);
});

it('the neutral format shows the tags of hidden originals in addition to their content', () => {
	const [entry] = appendedEntries('contextd', [rawMessage[1]]);
	entry!.message.condenseParent = 'g1';
	expect(rendered(contextdFormat, [entry!]).messages).toEqual([{ ...rawMessage[1], condenseParent: 'g1' }]);
});

it('the neutral format reads a part of unknown type as opaque', () => {
	const part = { type: 'video', seconds: 3 };
	expect(contextdFormat.parse({ role: 'user', content: [part] })).toEqual([
		{ role: 'user', content: [{ type: 'opaque', value: part }] },
	]);
});

it.each([
	[null, 'message: expected an object, got null'],
	[{ role: 'bot', content: '' }, 'role: expected "system", "user", "assistant" or "tool", got "bot"'],
	[{ role: 'user' }, 'content: expected a string or an array of parts, got nothing'],
	[{ role: 'user', content: [{ type: 'text' }] }, 'content[0].text: expected a string, got nothing'],
	[{ role: 'user', content: [{ text: 'x' }] }, 'content[0].type: expected a nonempty string, got nothing'],
	[
		{ role: 'assistant', content: '', toolCalls: [{ id: 'a', args: {} }] },
		'toolCalls[0].name: expected a nonempty string, got nothing',
	],
	[{ role: 'user', content: '', tokens: -1 }, 'tokens: expected a finite number from 0 up, got number -1'],
	[
		{ role: 'assistant', content: '', usage: { input: '5', output: 1 } },
		'usage.input: expected a finite number from 0 up, got "5"',
	],
])('the neutral format refuses invalid input and names the field (%#)', (raw, message) => {
	expect(() => contextdFormat.parse(raw)).toThrow(
		expect.objectContaining({ kind: 'InvalidParams', message }),
	);
});
