import { expect, it } from 'vitest';
import { anthropic } from './providers/anthropic.ts';
import { gemini } from './providers/gemini.ts';
import { mistral } from './providers/mistral.ts';
import { openai } from './providers/openai.ts';
import { responses } from './providers/responses.ts';
import type { Fields, Provider } from './wire.ts';

const user = { role: 'user', content: 'Go.' };
const chatCall = (id: string) => ({
	role: 'assistant',
	content: null,
	tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] };
const used = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] };
const asked = { role: 'user', parts: [{ text: 'Go.' }] };
const called = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
const answered = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
const claude = (...messages: unknown[]) => ({ max_tokens: 9, messages });

const broken: [Provider, string, Fields][] = [
	[anthropic, 'alternat', claude(user, user)],
	[anthropic, 'without tool_result', claude(user, use, user)],
	[anthropic, 'unexpected tool_use_id', claude(used)],
	[anthropic, 'non-empty', claude({ role: 'user', content: ' ' })],
	[anthropic, 'Extra inputs', claude({ ...user, id: 'm1' })],
	[anthropic, 'Expected `thinking`', claude(user, use, used)],
	[anthropic, 'prefill', claude(user, { role: 'assistant', content: 'x' })],
	[openai, 'must be followed by tool messages', { messages: [user, chatCall('c'), user] }],
	[openai, 'preceding message', { messages: [user, { role: 'tool', tool_call_id: 'c', content: 'x' }] }],
	[openai, 'Additional properties', { messages: [{ ...user, metadata: {} }] }],
	[openai, 'got null', { messages: [{ role: 'assistant', content: null }] }],
	[
		mistral,
		'length of 9',
		{ messages: [user, chatCall('c'), { role: 'tool', tool_call_id: 'c', content: 'x' }] },
	],
	[
		mistral,
		"'user' after role 'tool'",
		{
			messages: [
				user,
				chatCall('c12345678'),
				{ role: 'tool', tool_call_id: 'c12345678', content: 'x' },
				user,
			],
		},
	],
	[responses, 'No tool output', { input: [user, { type: 'function_call', call_id: 'c' }] }],
	[responses, 'No tool call', { input: [user, { type: 'function_call_output', call_id: 'c' }] }],
	[
		responses,
		'could not be verified',
		{ input: [user, { type: 'reasoning', id: 'rs', encrypted_content: 'x' }] },
	],
	[gemini, 'alternate', { contents: [asked, asked] }],
	[gemini, 'number of function response parts', { contents: [asked, called, asked] }],
	[gemini, 'thought_signature', { contents: [asked, called, answered] }],
	[gemini, 'first content', { contents: [called, answered] }],
];

const table = broken.map(([provider, words, body]) => ({ name: provider.name, provider, words, body }));

it.each(table)('$name refuses a request that breaks a rule: $words', ({ provider, words, body }) => {
	expect(provider.endpoint().findBrokenRule(body)).toContain(words);
});

it('OpenAI Responses refuses reasoning without the item that followed it, and that item without the reasoning', () => {
	const endpoint = responses.endpoint();
	const response = endpoint.answer({ text: '', calls: [{ name: 'f', args: {} }] }, { input: 1, output: 1 });
	const [reasoning, call] = (response as { output: Fields[] }).output;
	const output = { type: 'function_call_output', call_id: call?.call_id, output: 'x' };
	expect(endpoint.findBrokenRule({ input: [user, reasoning, call, output] })).toBeUndefined();
	expect(endpoint.findBrokenRule({ input: [user, call, output] })).toContain("required 'reasoning' item");
	expect(endpoint.findBrokenRule({ input: [user, reasoning, user] })).toContain('required following item');
});
