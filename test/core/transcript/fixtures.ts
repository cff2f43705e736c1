/** Small transcripts of every format, made by hand. */

const base = { isSidechain: false, sessionId: 's1', cwd: '/w', timestamp: '2026-01-01T00:00:00.000Z' };

export const claudeLines: unknown[] = [
	{ type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
	{ ...base, type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Read both' } },
	{
		...base,
		type: 'assistant',
		uuid: 'a1',
		parentUuid: 'u1',
		message: {
			id: 'msg_1',
			role: 'assistant',
			model: 'claude-x',
			content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }],
			usage: {
				input_tokens: 5,
				output_tokens: 1,
				cache_read_input_tokens: 100,
				cache_creation_input_tokens: 20,
			},
		},
	},
	{
		...base,
		type: 'assistant',
		uuid: 'a2',
		parentUuid: 'a1',
		message: {
			id: 'msg_1',
			role: 'assistant',
			model: 'claude-x',
			content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/a' } }],
		},
	},
	{
		...base,
		type: 'user',
		uuid: 'r1',
		parentUuid: 'a2',
		toolUseResult: { file: 'a second copy' },
		message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'text of a' }] },
	},
	{
		...base,
		type: 'assistant',
		uuid: 'a3',
		parentUuid: 'a2',
		message: {
			id: 'msg_1',
			role: 'assistant',
			model: 'claude-x',
			stop_reason: 'tool_use',
			content: [{ type: 'tool_use', id: 'c2', name: 'Read', input: { file_path: '/b' } }],
			usage: {
				input_tokens: 5,
				output_tokens: 40,
				cache_read_input_tokens: 100,
				cache_creation_input_tokens: 20,
			},
		},
	},
	{
		...base,
		type: 'user',
		uuid: 'r2',
		parentUuid: 'a3',
		message: {
			role: 'user',
			content: [
				{ type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'no b' }], is_error: true },
			],
		},
	},
	{ ...base, type: 'progress', uuid: 'p1', parentUuid: 'r2', data: {} },
	{
		...base,
		type: 'assistant',
		uuid: 'a4',
		parentUuid: 'p1',
		message: { id: 'msg_2', role: 'assistant', model: 'claude-x', content: [{ type: 'text', text: 'Done' }] },
	},
	{
		...base,
		isSidechain: true,
		type: 'assistant',
		uuid: 'x1',
		parentUuid: null,
		message: { id: 'msg_x', role: 'assistant', content: 'sub-agent' },
	},
	{
		...base,
		type: 'user',
		uuid: 'u2',
		parentUuid: 'a4',
		isMeta: true,
		message: { role: 'user', content: 'a caveat' },
	},
	{
		...base,
		type: 'user',
		uuid: 'u3',
		parentUuid: 'u2',
		message: { role: 'user', content: '<command-name>/model</command-name>' },
	},
	{ type: 'summary', summary: 'Reading two files', leafUuid: 'a4' },
];

export const sdkLines: unknown[] = [
	{ type: 'system', subtype: 'init', session_id: 's2', cwd: '/w', model: 'claude-x', tools: ['Read'] },
	{
		type: 'assistant',
		session_id: 's2',
		uuid: 'a1',
		parent_tool_use_id: null,
		message: {
			id: 'm1',
			role: 'assistant',
			content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: {} }],
		},
	},
	{
		type: 'user',
		session_id: 's2',
		uuid: 'r1',
		parent_tool_use_id: null,
		message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
	},
	{
		type: 'assistant',
		session_id: 's2',
		uuid: 'a2',
		parent_tool_use_id: 'c1',
		message: { id: 'm2', role: 'assistant', content: [{ type: 'text', text: 'of a sub-agent' }] },
	},
	{
		type: 'system',
		subtype: 'compact_boundary',
		session_id: 's2',
		compact_metadata: { trigger: 'auto', pre_tokens: 900 },
	},
	{
		type: 'user',
		session_id: 's2',
		uuid: 'u2',
		message: { role: 'user', content: [{ type: 'text', text: 'Summary of it all' }] },
	},
	{ type: 'result', subtype: 'success', session_id: 's2', result: 'ok' },
];

const at = '2026-01-01T00:00:00.000Z';
const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload });
const event = (payload: object) => ({ timestamp: at, type: 'event_msg', payload });
const says = (role: string, text: string) =>
	item({
		type: 'message',
		role,
		content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
	});

export const codexLines: unknown[] = [
	{
		timestamp: at,
		type: 'session_meta',
		payload: {
			id: 's3',
			cwd: '/w',
			model_provider: 'openai',
			base_instructions: { text: 'You are an agent' },
		},
	},
	says('developer', 'Be careful'),
	says('user', '<environment_context>\n/w</environment_context>'),
	{ timestamp: at, type: 'turn_context', payload: { model: 'gpt-x', cwd: '/w' } },
	event({ type: 'user_message', message: 'Look' }),
	says('user', 'Look'),
	item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }),
	says('assistant', 'I look'),
	item({ type: 'function_call', name: 'exec_command', call_id: 'c1', arguments: '{"cmd":"cat a"}' }),
	item({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'c2', input: '*** Begin Patch' }),
	item({ type: 'function_call_output', call_id: 'c1', output: 'Process exited with code 1\nOutput:\nno' }),
	item({ type: 'custom_tool_call_output', call_id: 'c2', output: 'Exit code: 0\nOutput:\nok' }),
	event({
		type: 'token_count',
		info: {
			last_token_usage: { input_tokens: 100, cached_input_tokens: 80, output_tokens: 7 },
			model_context_window: 1000,
		},
	}),
	says('assistant', 'Done'),
	says('user', 'More'),
	says('assistant', 'No'),
];

export const codexExecLines: unknown[] = [
	{ type: 'thread.started', thread_id: 't1' },
	{ type: 'turn.started' },
	{
		type: 'item.started',
		item: {
			id: 'item_0',
			type: 'command_execution',
			command: 'ls',
			aggregated_output: '',
			status: 'in_progress',
		},
	},
	{
		type: 'item.completed',
		item: {
			id: 'item_0',
			type: 'command_execution',
			command: 'ls',
			aggregated_output: 'a\nb',
			exit_code: 2,
			status: 'failed',
		},
	},
	{
		type: 'item.completed',
		item: {
			id: 'item_1',
			type: 'mcp_tool_call',
			server: 's',
			tool: 'find',
			arguments: { q: 1 },
			result: { content: [{ type: 'text', text: 'found' }] },
		},
	},
	{ type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 'Done' } },
	{ type: 'turn.completed', usage: { input_tokens: 5 } },
];

export const geminiDocument = {
	sessionId: 's4',
	projectHash: 'h',
	messages: [
		{ id: 'g1', type: 'user', content: 'Make it', timestamp: at },
		{
			id: 'g2',
			type: 'gemini',
			content: 'I do',
			timestamp: at,
			model: 'gemini-x',
			thoughts: [{ subject: 'Plan', description: 'do it' }],
			tokens: { input: 100, output: 5, cached: 60, thoughts: 3 },
			toolCalls: [
				{
					id: 'c1',
					name: 'write_file',
					args: { file_path: 'a' },
					status: 'success',
					result: [{ functionResponse: { id: 'c1', name: 'write_file', response: { output: 'written' } } }],
				},
			],
		},
		{ id: 'g3', type: 'info', content: 'An update is there', timestamp: at },
		{ id: 'g4', type: 'gemini', content: 'Done', timestamp: at },
	],
};

export const geminiLines: unknown[] = [
	{ sessionId: 's4', projectHash: 'h', startTime: at },
	...geminiDocument.messages.slice(0, 1),
	{
		...geminiDocument.messages[1],
		toolCalls: [{ id: 'c1', name: 'write_file', args: { file_path: 'a' }, status: 'executing' }],
	},
	{ $set: { lastUpdated: at } },
	geminiDocument.messages[1],
	...geminiDocument.messages.slice(2),
];

const entry = (id: string, parentId: string | null, message: object) => ({
	type: 'message',
	id,
	parentId,
	timestamp: at,
	message,
});

export const piLines: unknown[] = [
	{ type: 'session', version: 3, id: 's5', cwd: '/w', timestamp: at },
	entry('e1', null, { role: 'user', content: [{ type: 'text', text: 'Go' }] }),
	entry('e2', 'e1', {
		role: 'assistant',
		provider: 'anthropic',
		model: 'claude-x',
		stopReason: 'toolUse',
		usage: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
		content: [
			{ type: 'text', text: 'ok' },
			{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
		],
	}),
	entry('e3', 'e2', {
		role: 'toolResult',
		toolCallId: 'c1',
		toolName: 'read',
		content: [{ type: 'text', text: 'A' }],
		isError: false,
	}),
	entry('e4', 'e3', { role: 'assistant', content: [{ type: 'text', text: 'done' }] }),
	{
		type: 'compaction',
		id: 'e5',
		parentId: 'e4',
		timestamp: at,
		summary: 'What was',
		firstKeptEntryId: 'e4',
		tokensBefore: 99,
	},
	entry('e6', 'e5', { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0 }),
	entry('e7', 'e6', { role: 'user', content: 'On' }),
];

const log = (type: string, id: string, data: object) => ({ type, data, id, timestamp: at, parentId: null });

export const copilotLines: unknown[] = [
	log('session.start', 'v1', { sessionId: 's6', context: { cwd: '/w' }, selectedModel: 'gpt-x' }),
	log('user.message', 'v2', { content: 'Why', transformedContent: '<now>\nWhy' }),
	log('assistant.message', 'v3', {
		content: '',
		reasoningText: 'hm',
		toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: { command: 'ls' } }],
	}),
	log('tool.execution_start', 'v4', { toolCallId: 'c1' }),
	log('tool.execution_complete', 'v5', { toolCallId: 'c1', success: false, result: { content: 'denied' } }),
	log('system.notification', 'v6', { content: '<system_notification>done</system_notification>' }),
	log('session.compaction_complete', 'v7', {
		success: true,
		summaryContent: 'So far',
		preCompactionTokens: 50,
	}),
	log('assistant.message', 'v8', { content: 'Because', toolRequests: [] }),
];

export const openCodeRecords: unknown[] = [
	{ id: 'ses_1', projectID: 'p', directory: '/w', title: 'Ask' },
	{ id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } },
	{ id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'Ask' },
	{
		id: 'msg_2',
		sessionID: 'ses_1',
		role: 'assistant',
		time: { created: 2 },
		modelID: 'm',
		providerID: 'p',
		tokens: { input: 9, output: 1, reasoning: 1, cache: { read: 4, write: 0 } },
		finish: 'stop',
	},
	{ id: 'prt_2', sessionID: 'ses_1', messageID: 'msg_2', type: 'reasoning', text: 'hm' },
	{
		id: 'prt_3',
		sessionID: 'ses_1',
		messageID: 'msg_2',
		type: 'tool',
		callID: 'c1',
		tool: 'read',
		state: { status: 'completed', input: { filePath: 'a' }, output: 'A', time: { start: 1, end: 2 } },
	},
	{
		id: 'prt_4',
		sessionID: 'ses_1',
		messageID: 'msg_2',
		type: 'step-finish',
		tokens: { input: 9, output: 1, cache: { read: 4, write: 0 } },
	},
	{ id: 'prt_5', sessionID: 'ses_1', messageID: 'msg_2', type: 'step-start' },
	{ id: 'prt_6', sessionID: 'ses_1', messageID: 'msg_2', type: 'text', text: 'It says A' },
	{ id: 'msg_3', sessionID: 'ses_1', role: 'user', time: { created: 3 } },
	{ id: 'prt_7', sessionID: 'ses_1', messageID: 'msg_3', type: 'text', text: 'Thanks' },
];

export const anthropicArray: unknown[] = [
	{ role: 'user', content: 'Read' },
	{
		role: 'assistant',
		content: [
			{ type: 'text', text: 'Yes' },
			{ type: 'tool_use', id: 'c1', name: 'Read', input: { p: 1 } },
		],
	},
	{
		role: 'user',
		content: [
			{ type: 'tool_result', tool_use_id: 'c1', content: 'A' },
			{ type: 'text', text: 'and now' },
		],
	},
];

export const clineArray: unknown[] = [
	{
		role: 'user',
		ts: 1700000000000,
		content: [
			{ type: 'text', text: '<task>\nFix\n</task>' },
			{ type: 'text', text: '<environment_details>\n</environment_details>' },
		],
	},
	{
		role: 'assistant',
		ts: 1700000000001,
		content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a' } }],
	},
	{
		role: 'user',
		ts: 1700000000002,
		content: [
			{ type: 'tool_result', tool_use_id: 'c1', content: 'A' },
			{ type: 'text', text: '<environment_details>\n</environment_details>' },
		],
	},
];

export const rooArray: unknown[] = [
	{ role: 'user', ts: 1700000000000, content: 'Fix', condenseParent: 'k1' },
	{ role: 'assistant', ts: 1700000000001, content: [{ type: 'text', text: 'Old' }], condenseParent: 'k1' },
	{ role: 'user', ts: 1700000000002, content: 'Summary', isSummary: true, condenseId: 'k1' },
	{ role: 'assistant', ts: 1700000000003, content: 'New' },
];

export const openAiArray: unknown[] = [
	{ role: 'system', content: 'Be kind' },
	{
		role: 'user',
		content: [
			{ type: 'text', text: 'Look' },
			{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
		],
	},
	{
		role: 'assistant',
		content: null,
		tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":1}' } }],
	},
	{ role: 'tool', tool_call_id: 'c1', content: 'found' },
];

export const vercelArray: unknown[] = [
	{ id: 'v1', role: 'user', parts: [{ type: 'text', text: 'Weather' }] },
	{
		id: 'v2',
		role: 'assistant',
		parts: [
			{ type: 'step-start' },
			{ type: 'reasoning', text: 'hm' },
			{
				type: 'tool-weather',
				toolCallId: 'c1',
				state: 'output-available',
				input: { city: 'X' },
				output: { t: 20 },
			},
			{ type: 'step-start' },
			{ type: 'text', text: '20 degrees' },
		],
	},
];

export const vercelModelArray: unknown[] = [
	{ role: 'user', content: [{ type: 'text', text: 'Weather' }] },
	{
		role: 'assistant',
		content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'X' } }],
	},
	{
		role: 'tool',
		content: [
			{
				type: 'tool-result',
				toolCallId: 'c1',
				toolName: 'weather',
				output: { type: 'json', value: { t: 20 } },
			},
		],
	},
];

export const neutralLines: unknown[] = [
	{ session: 's7', format: 'neutral-1', provider: 'p', model: 'm' },
	{ id: 'n1', role: 'user', content: 'Hi' },
	{
		id: 'n2',
		role: 'assistant',
		content: '',
		toolCalls: [{ id: 'c1', name: 'read', args: { p: 1 } }],
		usage: { input: 1, output: 2 },
	},
	{ id: 'n3', role: 'tool', content: 'A', toolCallId: 'c1', toolName: 'read', isError: true },
];

/** Every format that comes one record after the other. */
export const streams: Record<string, unknown[]> = {
	'claude-code': claudeLines,
	'claude-agent-sdk': sdkLines,
	codex: codexLines,
	'codex-exec': codexExecLines,
	'gemini-cli': geminiLines,
	pi: piLines,
	'copilot-cli': copilotLines,
	opencode: openCodeRecords,
	contextd: neutralLines,
};

/** Every format that is one array of messages. */
export const arrays: Record<string, unknown[]> = {
	'anthropic-messages': anthropicArray,
	cline: clineArray,
	'roo-code': rooArray,
	'openai-messages': openAiArray,
	'vercel-ai-sdk': vercelArray,
	contextd: neutralLines.slice(1),
};
