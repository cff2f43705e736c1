import { expect, it } from 'vitest';
import type { MessageReader } from '../../../server/core/format/validity/validate.ts';
import { validate } from '../../support/validate.ts';

const user = { role: 'user', content: 'Go.' };
const said = { role: 'assistant', content: 'Done.' };
const neutralCall = { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'f', args: {} }] };
const neutralResult = { role: 'tool', content: '', toolCallId: 'a' };
const use = (id: unknown, input: unknown = {}) => ({ type: 'tool_use', id, name: 'f', input });
const answer = (id: unknown) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const anthropicUse = { role: 'assistant', content: [use('a')] };
const openaiCall = (id: string) => ({
	role: 'assistant',
	content: null,
	tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const openaiResult = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
const item = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'x' });
const geminiUser = { role: 'user', parts: [{ text: 'Go.' }] };
const geminiCall = (name: string) => ({ role: 'model', parts: [{ functionCall: { name, args: {} } }] });
const geminiAnswer = (name: string) => ({
	role: 'user',
	parts: [{ functionResponse: { name, response: {} } }],
});

const converseUser = { role: 'user', content: [{ text: 'Go.' }] };
const converseCall = (toolUseId: string, input: unknown = {}) => ({
	role: 'assistant',
	content: [{ toolUse: { toolUseId, name: 'f', input } }],
});
const converseResult = (toolUseId: string) => ({
	role: 'user',
	content: [{ toolResult: { toolUseId, content: [] } }],
});
const afterText = ({ role, content }: { role: string; content: unknown[] }) => ({
	role,
	content: [{ text: 'x' }, ...content],
});
const sdkCall = (toolCallId: string) => ({
	role: 'assistant',
	content: [{ type: 'tool-call', toolCallId, toolName: 'f', input: {} }],
});
const sdkResult = (toolCallId: string, output: unknown = { type: 'text', value: '' }) => ({
	role: 'tool',
	content: [{ type: 'tool-result', toolCallId, toolName: 'f', output }],
});

const broken: [MessageReader, string, number, unknown[]][] = [
	['contextd', 'shape', 0, [{ role: 'user' }]],
	[
		'contextd',
		'unique-ids',
		1,
		[
			{ ...user, id: 'x' },
			{ ...said, id: 'x' },
		],
	],
	['contextd', 'pairs', 1, [user, neutralCall, user]],
	['contextd', 'pairs', 1, [user, neutralResult]],
	['contextd', 'pairs', 3, [user, neutralCall, neutralResult, neutralResult]],
	['contextd', 'pairs', 3, [user, neutralCall, user, neutralResult]],
	['anthropic', 'roles', 0, [said]],
	['anthropic', 'roles', 1, [user, user]],
	['anthropic', 'roles', 0, [{ role: 'system', content: 'x' }]],
	['anthropic', 'content', 0, [{ role: 'user', content: [] }]],
	['anthropic', 'content', 0, [{ role: 'user', content: ' ' }]],
	[
		'anthropic',
		'content',
		2,
		[
			user,
			anthropicUse,
			{ role: 'user', content: [{ ...answer('a'), content: [{ type: 'text', text: '' }] }] },
		],
	],
	[
		'anthropic',
		'results-first',
		2,
		[user, anthropicUse, { role: 'user', content: [{ type: 'text', text: 'x' }, answer('a')] }],
	],
	['anthropic', 'pairs', 1, [user, anthropicUse]],
	['anthropic', 'pairs', 0, [{ role: 'user', content: [answer('a')] }]],
	[
		'anthropic',
		'call-ids',
		3,
		[
			user,
			anthropicUse,
			{ role: 'user', content: [answer('a')] },
			anthropicUse,
			{ role: 'user', content: [answer('a')] },
		],
	],
	[
		'anthropic',
		'call-ids',
		1,
		[user, { role: 'assistant', content: [use('a.b')] }, { role: 'user', content: [answer('a.b')] }],
	],
	[
		'anthropic',
		'call-input',
		1,
		[user, { role: 'assistant', content: [use('a', 'x')] }, { role: 'user', content: [answer('a')] }],
	],
	[
		'anthropic',
		'thinking',
		1,
		[user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 's' }] }],
	],
	['openai', 'roles', 0, [{ role: 'model', content: 'x' }]],
	['openai', 'content', 0, [{ role: 'user', content: null }]],
	['openai', 'content', 0, [{ role: 'assistant', content: null }]],
	['openai', 'images', 0, [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'x' } }] }]],
	['openai', 'pairs', 1, [user, openaiCall('a'), said]],
	['openai', 'pairs', 1, [user, openaiResult('a')]],
	['openai', 'call-ids', 0, [openaiCall('x'.repeat(41)), openaiResult('x'.repeat(41))]],
	['mistral', 'call-ids', 0, [openaiCall('call_1'), openaiResult('call_1')]],
	['mistral', 'user-after-tool', 2, [openaiCall('abcdefgh1'), openaiResult('abcdefgh1'), user]],
	['mistral', 'system-after-answer', 2, [user, said, { role: 'system', content: 'x' }]],
	['deepseek', 'earlier-reasoning', 1, [user, { ...said, reasoning_content: 'x' }, user]],
	['openai-responses', 'items', 0, [{}]],
	['openai-responses', 'items', 0, [{ role: 'assistant', content: '' }]],
	['openai-responses', 'pairs', 0, [item('a')]],
	['openai-responses', 'pairs', 0, [output('a'), item('b'), output('b')]],
	['openai-responses', 'call-ids', 0, [item('x'.repeat(65)), output('x'.repeat(65))]],
	['openai-responses', 'reasoning', 0, [{ type: 'reasoning', summary: [] }, user]],
	['gemini', 'roles', 0, [{ role: 'model', parts: [{ text: 'x' }] }]],
	['gemini', 'roles', 1, [geminiUser, geminiUser]],
	['gemini', 'parts', 0, [{ role: 'user', parts: [] }]],
	['gemini', 'parts', 0, [{ role: 'user', parts: [{ text: '' }] }]],
	[
		'gemini',
		'parts',
		1,
		[geminiUser, { role: 'model', parts: [{ functionCall: { name: 'f', args: 'x' } }] }],
	],
	[
		'gemini',
		'responses-first',
		2,
		[geminiUser, geminiCall('f'), { role: 'user', parts: [{ text: 'x' }, ...geminiAnswer('f').parts] }],
	],
	['gemini', 'pairs', 1, [geminiUser, geminiCall('f'), geminiAnswer('g')]],
	['gemini', 'pairs', 0, [geminiAnswer('f')]],
	['bedrock', 'roles', 0, [{ role: 'assistant', content: [{ text: 'Done.' }] }]],
	['bedrock', 'roles', 1, [converseUser, converseUser]],
	['bedrock', 'content', 0, [{ role: 'user', content: [] }]],
	['bedrock', 'content', 0, [{ role: 'user', content: [{ text: ' ' }] }]],
	['bedrock', 'results-first', 2, [converseUser, converseCall('a'), afterText(converseResult('a'))]],
	['bedrock', 'pairs', 1, [converseUser, converseCall('a'), converseUser]],
	['bedrock', 'pairs', 0, [converseResult('a')]],
	['bedrock', 'call-ids', 1, [converseUser, converseCall('a.b'), converseResult('a.b')]],
	['bedrock', 'call-input', 1, [converseUser, converseCall('a', 'x'), converseResult('a')]],
	[
		'bedrock',
		'thinking',
		1,
		[converseUser, { role: 'assistant', content: [{ reasoningContent: { redactedContent: 'x' } }] }],
	],
	['ai-sdk', 'roles', 0, [{ role: 'model', content: 'x' }]],
	['ai-sdk', 'content', 0, [{ role: 'system', content: [{ type: 'text', text: 'x' }] }]],
	['ai-sdk', 'content', 0, [{ role: 'user', content: [] }]],
	['ai-sdk', 'results', 2, [user, sdkCall('a'), sdkResult('a', {})]],
	['ai-sdk', 'call-ids', 1, [user, sdkCall(''), sdkResult('')]],
	['ai-sdk', 'pairs', 1, [user, sdkCall('a'), user]],
	['ai-sdk', 'pairs', 1, [user, sdkResult('a')]],
	['neurolink', 'roles', 0, [{ role: 'tool', content: '' }]],
	['neurolink', 'pairs', 0, [{ role: 'tool_call', tool: 'f' }, user]],
	['neurolink', 'pairs', 0, [{ role: 'tool_result', tool: 'f', content: '' }]],
];

it.each(broken)(
	'validate finds a violation for %s: rule "%s", message %i',
	(reader, rule, index, messages) => {
		const { valid, problems } = validate(messages, reader);
		expect(valid).toBe(false);
		expect(problems).toContainEqual({ index, rule, message: expect.any(String) });
	},
);

it('validate accepts results after several messages with calls of one answer', () => {
	const other = { role: 'assistant', content: '', toolCalls: [{ id: 'b', name: 'f', args: {} }] };
	const both = [user, neutralCall, other, { ...neutralResult, toolCallId: 'b' }, neutralResult, said];
	expect(validate(both, 'contextd')).toEqual({ valid: true, problems: [] });
});
