/** One conversation in every wire format, with members that are easily lost. */

import type { FormatName } from '../../server/protocol/conversation.ts';

const log = Array.from(
	{ length: 300 },
	(_, index) => `line ${index}: src/part${index % 7}.ts took ${index * 3} ms`,
).join('\n');

const anthropic = [
	{ role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
	{
		role: 'user',
		content: [{ type: 'text', text: 'Fix the parser.', cache_control: { type: 'ephemeral' } }],
	},
	{
		id: 'msg_1',
		role: 'assistant',
		model: 'claude-sonnet-4-5',
		content: [
			{ type: 'thinking', thinking: 'I must look first.', signature: 'c2lnbmVk' },
			{ type: 'redacted_thinking', data: 'b3BhcXVl' },
			{ type: 'text', text: 'I look.' },
			{
				type: 'tool_use',
				id: 'toolu_1',
				name: 'read_file',
				input: { path: 'src/a.ts' },
				caller: { type: 'direct' },
			},
			{ type: 'tool_use', id: 'toolu_2', name: 'run', input: { command: 'npm test' } },
		],
		stop_reason: 'tool_use',
		usage: { input_tokens: 40, output_tokens: 60, cache_read_input_tokens: 2_000, service_tier: 'standard' },
	},
	{
		role: 'user',
		content: [
			{
				type: 'tool_result',
				tool_use_id: 'toolu_1',
				content: [{ type: 'text', text: log, citations: null }],
			},
			{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'exit code 1', is_error: true },
			{ type: 'text', text: 'Hurry.' },
		],
	},
	{ id: 'msg_2', role: 'assistant', content: 'It is done.' },
	{ role: 'user', content: 'Thanks. What changed?' },
];

const openaiCall = (id: string, name: string, args: string) => ({
	id,
	type: 'function',
	function: { name, arguments: args },
	index: 0,
});

const openai = [
	{ role: 'developer', content: 'Be brief.', name: 'rules' },
	{ role: 'user', content: [{ type: 'text', text: 'Fix the parser.' }], name: 'ada' },
	{
		role: 'assistant',
		content: null,
		refusal: null,
		annotations: [],
		tool_calls: [
			openaiCall('call_1', 'read_file', '{ "path": "src/a.ts" }'),
			openaiCall('call_2', 'run', '{"command":"npm test"}'),
		],
		usage: { prompt_tokens: 2_040, completion_tokens: 60, prompt_tokens_details: { cached_tokens: 2_000 } },
	},
	{ role: 'tool', tool_call_id: 'call_1', content: log, name: 'read_file' },
	{ role: 'tool', tool_call_id: 'call_2', content: 'exit code 1' },
	{ role: 'assistant', content: 'It is done.', audio: { id: 'audio_1' } },
	{ role: 'user', content: 'Thanks. What changed?' },
];

const responses = [
	{ type: 'message', role: 'developer', content: 'Be brief.' },
	{ role: 'user', content: [{ type: 'input_text', text: 'Fix the parser.' }] },
	{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'b3BhcXVl', status: null },
	{
		type: 'function_call',
		id: 'fc_1',
		call_id: 'call_1',
		name: 'read_file',
		arguments: '{ "path": "src/a.ts" }',
		status: 'completed',
	},
	{ type: 'function_call_output', call_id: 'call_1', output: log, status: 'completed' },
	{ type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'patch', input: '*** Begin Patch' },
	{ type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done!' },
	{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'parser' } },
	{
		type: 'message',
		id: 'msg_1',
		role: 'assistant',
		status: 'completed',
		content: [
			{ type: 'output_text', text: 'It is done.', annotations: [{ type: 'url_citation', url: 'https://a' }] },
		],
		usage: { input_tokens: 2_040, output_tokens: 60, input_tokens_details: { cached_tokens: 2_000 } },
	},
	{ role: 'user', content: 'Thanks. What changed?' },
];

const gemini = [
	{ role: 'system', parts: [{ text: 'Be brief.' }] },
	{ role: 'user', parts: [{ text: 'Fix the parser.' }] },
	{
		role: 'model',
		parts: [
			{ text: 'I must look first.', thought: true },
			{ functionCall: { name: 'read_file', args: { path: 'src/a.ts' } }, thoughtSignature: 'c2lnbmVk' },
			{ functionCall: { id: 'fc-2', name: 'run', args: { command: 'npm test' } } },
		],
	},
	{
		role: 'user',
		parts: [
			{ functionResponse: { name: 'read_file', response: { output: log, lines: 300 } } },
			{
				functionResponse: {
					id: 'fc-2',
					name: 'run',
					response: { error: 'exit code 1' },
					willContinue: false,
				},
			},
		],
	},
	{ role: 'model', parts: [{ text: 'It is done.' }], groundingMetadata: { webSearchQueries: ['parser'] } },
	{ role: 'user', parts: [{ text: 'Thanks. What changed?' }] },
];

const neurolink = [
	{ id: 'n0', role: 'system', content: 'Be brief.' },
	{
		id: 'n1',
		role: 'user',
		content: 'Fix the parser.',
		timestamp: '2025-01-01T00:00:00.000Z',
		sessionNote: 'x',
	},
	{
		id: 'n2',
		role: 'tool_call',
		content: '',
		tool: 'read_file',
		args: { path: 'src/a.ts' },
		metadata: { toolCallId: 'c1' },
	},
	{
		id: 'n3',
		role: 'tool_result',
		content: log,
		tool: 'read_file',
		result: { success: true },
		metadata: { toolCallId: 'c1' },
	},
	{ id: 'n4', role: 'assistant', content: 'It is done.', condenseNote: 7 },
	{ id: 'n5', role: 'user', content: 'Thanks. What changed?' },
];

const contextd = [
	{ id: 'c0', role: 'system', content: 'Be brief.', mood: 'calm' },
	{ id: 'c1', role: 'user', content: [{ type: 'text', text: 'Fix the parser.', lang: 'en' }] },
	{
		id: 'c2',
		role: 'assistant',
		content: [
			{ type: 'reasoning', text: 'I must look first.', signature: 'c2lnbmVk' },
			{ type: 'opaque', value: { type: 'something', of: 'theirs' } },
		],
		toolCalls: [{ id: 'k1', name: 'read_file', args: { path: 'src/a.ts' }, note: 1 }],
		usage: { input: 40, output: 60, cacheRead: 2_000 },
		stopReason: 'tool',
	},
	{ id: 'c3', role: 'tool', toolCallId: 'k1', toolName: 'read_file', content: log },
	{ id: 'c4', role: 'assistant', content: 'It is done.' },
	{ id: 'c5', role: 'user', content: 'Thanks. What changed?' },
];

const bedrock = [
	{ role: 'system', content: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }] },
	{ role: 'user', content: [{ text: 'Fix the parser.' }, { cachePoint: { type: 'default' } }] },
	{
		role: 'assistant',
		content: [
			{ reasoningContent: { reasoningText: { text: 'I must look first.', signature: 'c2lnbmVk' } } },
			{ reasoningContent: { redactedContent: 'b3BhcXVl' } },
			{ text: 'I look.' },
			{ toolUse: { toolUseId: 'tooluse_1', name: 'read_file', input: { path: 'src/a.ts' } } },
			{ toolUse: { toolUseId: 'tooluse_2', name: 'run', input: { command: 'npm test' } } },
		],
	},
	{
		role: 'user',
		content: [
			{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: log }], status: 'success' } },
			{ toolResult: { toolUseId: 'tooluse_2', content: [{ json: { code: 1 } }], status: 'error' } },
			{ document: { name: 'notes', format: 'txt', source: { bytes: 'bm90ZXM=' } } },
		],
	},
	{ role: 'assistant', content: [{ text: 'It is done.' }], trace: 'x' },
	{ role: 'user', content: [{ text: 'Thanks. What changed?' }] },
];

const aiSdk = [
	{ role: 'system', content: 'Be brief.', providerOptions: { anthropic: { cacheControl: {} } } },
	{ role: 'user', content: [{ type: 'text', text: 'Fix the parser.', providerOptions: { x: { y: 1 } } }] },
	{
		role: 'assistant',
		content: [
			{
				type: 'reasoning',
				text: 'I must look first.',
				providerOptions: { anthropic: { signature: 'c2lnbmVk' } },
			},
			{ type: 'tool-call', toolCallId: 'call_1', toolName: 'read_file', input: { path: 'src/a.ts' } },
			{ type: 'tool-call', toolCallId: 'ws_1', toolName: 'search', input: {}, providerExecuted: true },
			{ type: 'tool-result', toolCallId: 'ws_1', toolName: 'search', output: { type: 'json', value: [] } },
			{ type: 'tool-call', toolCallId: 'call_2', toolName: 'run', input: { command: 'npm test' } },
		],
	},
	{
		role: 'tool',
		content: [
			{
				type: 'tool-result',
				toolCallId: 'call_1',
				toolName: 'read_file',
				output: { type: 'text', value: log },
				providerOptions: { x: { y: 2 } },
			},
			{
				type: 'tool-result',
				toolCallId: 'call_2',
				toolName: 'run',
				output: { type: 'error-json', value: { code: 1 } },
			},
		],
	},
	{ role: 'assistant', content: 'It is done.' },
	{ role: 'user', content: 'Thanks. What changed?' },
];

/** Messages of a client, by format. */
export const conversations: Readonly<Record<FormatName, readonly unknown[]>> = {
	contextd,
	anthropic,
	openai,
	'openai-responses': responses,
	gemini,
	neurolink,
	bedrock,
	'ai-sdk': aiSdk,
};

/** What some formats store outside the list of messages, such as system text. */
export const outsideMessages: Partial<Record<FormatName, unknown>> = {
	anthropic: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
	gemini: { parts: [{ text: 'Be brief.' }] },
	bedrock: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
};
