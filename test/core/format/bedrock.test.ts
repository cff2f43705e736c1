import { describe, expect, it } from 'vitest';
import { bedrockFormat } from '../../../server/core/format/bedrock/adapter.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries, changedEntry, createdEntry } from './history.ts';

const thinking = { reasoningContent: { reasoningText: { text: 'Let me see.', signature: 'c2ln' } } };
const callA = { toolUse: { toolUseId: 'tooluse_a', name: 'read', input: { path: 'a.ts' } } };
const callB = { toolUse: { toolUseId: 'tooluse_b', name: 'bash', input: { command: 'ls' } } };
const cachePoint = { cachePoint: { type: 'default' } };
const turns = [
	{ role: 'user', content: [{ text: 'Fix it.' }, cachePoint] },
	{
		role: 'assistant',
		content: [thinking, { text: 'Looking.' }, callA, callB],
		stopReason: 'tool_use',
		usage: { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 300, cacheWriteInputTokens: 40 },
	},
	{
		role: 'user',
		content: [
			{ toolResult: { toolUseId: 'tooluse_a', content: [{ text: 'alpha' }], type: 'server_tool' } },
			{
				toolResult: {
					toolUseId: 'tooluse_b',
					status: 'error',
					content: [{ json: { code: 1 } }, { image: { format: 'png', source: { bytes: 'AAAA' } } }],
				},
			},
			{ text: 'And now?' },
			cachePoint,
		],
	},
];

describe('reading', () => {
	it('the Bedrock reader reads reasoning, calls, usage and stop reason of an answer', () => {
		expect(bedrockFormat.parse(turns[1])).toEqual([
			{
				role: 'assistant',
				content: [
					{ type: 'reasoning', text: 'Let me see.', signature: 'c2ln' },
					{ type: 'text', text: 'Looking.' },
				],
				toolCalls: [
					{ id: 'tooluse_a', name: 'read', args: { path: 'a.ts' } },
					{ id: 'tooluse_b', name: 'bash', args: { command: 'ls' } },
				],
				usage: { input: 10, output: 20, cacheRead: 300, cacheWrite: 40 },
				stopReason: 'tool',
			},
		]);
	});

	it('the Bedrock reader splits a user message into its results and text, with JSON as text', () => {
		expect(bedrockFormat.parse(turns[2])).toEqual([
			{ role: 'tool', content: [{ type: 'text', text: 'alpha' }], toolCallId: 'tooluse_a' },
			{
				role: 'tool',
				content: [
					{ type: 'text', text: '{"code":1}' },
					{ type: 'image', mediaType: 'image/png', data: 'AAAA' },
				],
				toolCallId: 'tooluse_b',
				isError: true,
			},
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'And now?' },
					{ type: 'opaque', value: cachePoint },
				],
			},
		]);
	});

	it.each([
		[{ role: 'tool', content: [] }, 'role: expected "user", "assistant" or "system", got "tool"'],
		[{ role: 'user', content: 'Hello.' }, 'content: expected an array, got "Hello."'],
		[
			{ role: 'user', content: [{ toolResult: {} }] },
			'content[0].toolResult.toolUseId: expected a string, got nothing',
		],
		[
			{ role: 'assistant', content: [{ toolUse: { toolUseId: 'a' } }] },
			'content[0].toolUse.name: expected a nonempty string, got nothing',
		],
	])('the Bedrock reader refuses an invalid message and names the field (%#)', (raw, message) => {
		expect(() => bedrockFormat.parse(raw)).toThrow(
			expect.objectContaining({ kind: 'InvalidParams', message }),
		);
	});
});

describe('writing', () => {
	it('the Bedrock writer shortens a result without changing its neighbours and its other fields', () => {
		const entries = appendedEntries('bedrock', turns);
		entries[2] = changedEntry(entries[2]!, { content: 'a…' });
		const [first, ...others] = turns[2]!.content;
		expect(rendered(bedrockFormat, entries).messages[2]).toEqual({
			role: 'user',
			content: [
				{ toolResult: { ...(first as { toolResult: object }).toolResult, content: [{ text: 'a…' }] } },
				...others,
			],
		});
	});

	it('the Bedrock writer drops edited signed reasoning and reports it', () => {
		const entries = appendedEntries('bedrock', turns.slice(0, 2));
		entries[1] = changedEntry(entries[1]!, {
			content: [
				{ type: 'reasoning', text: 'Let…', signature: 'c2ln' },
				{ type: 'text', text: 'Looking.' },
			],
		});
		const { messages, warnings } = rendered(bedrockFormat, entries);
		expect(messages[1]).toEqual({ role: 'assistant', content: [{ text: 'Looking.' }, callA, callB] });
		expect(warnings).toEqual([
			'signed reasoning that was changed cannot be carried over to bedrock: left out of bedrock-1-0',
		]);
	});

	it('the Bedrock writer replaces ids that are too long or have invalid characters', () => {
		const call = (id: string) => ({
			role: 'assistant',
			content: null,
			tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '"x"' } }],
		});
		const { messages } = rendered(bedrockFormat, [
			...appendedEntries('openai', [
				{ role: 'user', content: 'Go.' },
				call('functions.read:0'),
				{ role: 'tool', tool_call_id: 'functions.read:0', content: 'ok' },
			]),
			createdEntry({ id: 's', role: 'user', content: 'Summary', metadata: { isSummary: true } }),
		]);
		const [{ toolUse }] = (messages[1] as { content: [{ toolUse: { toolUseId: string } }] }).content;
		expect(toolUse).toEqual({
			toolUseId: expect.stringMatching(/^tooluse_[0-9a-z]{13}$/),
			name: 'read',
			input: { value: 'x' },
		});
		expect(messages[2]).toEqual({
			role: 'user',
			content: [
				{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: 'ok' }] } },
				{ text: 'Summary' },
			],
		});
	});

	it('the Bedrock writer reports an image that Converse does not accept, and replaces it in a result', () => {
		const url = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
		const { messages, warnings } = rendered(
			bedrockFormat,
			appendedEntries('openai', [{ role: 'user', content: [{ type: 'text', text: 'See.' }, url] }]),
		);
		expect(messages).toEqual([{ role: 'user', content: [{ text: 'See.' }] }]);
		expect(warnings).toEqual([
			'an image that Bedrock does not take cannot be carried over to bedrock: left out of openai-0-0',
		]);
	});
});
