/** Answers of a model in the format of each dialect: as one JSON value, or as events of a stream. */

import type { Dialect, Fields } from './request.ts';

/** An answer of the model. */
export interface Answer {
	/** Identifies the answer and its calls. */
	id: string;
	model: string;
	text?: string;
	/** Text of signed thinking, which only Anthropic's format has. */
	thinking?: string;
	/** Calls of tools. In Codex, `namespace` names the MCP server of the tool. */
	calls: readonly { name: string; args: Fields; namespace?: string }[];
	/** Tokens; `input` is the whole prompt, `cached` its part that was read from a cache. */
	usage: { input: number; output: number; cached?: number };
}

/** Returns the body of an answer that is sent as one JSON value. */
export function wholeAnswer(dialect: Dialect, answer: Answer): unknown {
	switch (dialect) {
		case 'anthropic':
			return { ...anthropicMessage(answer), content: anthropicBlocks(answer), ...anthropicEnd(answer) };
		case 'chat':
			return {
				id: answer.id,
				object: 'chat.completion',
				model: answer.model,
				choices: [{ index: 0, message: chatMessage(answer), finish_reason: chatEnd(answer) }],
				usage: chatUsage(answer),
			};
		case 'responses':
			return responsesResult(answer, 'completed');
		case 'gemini':
			return geminiResult(answer);
	}
}

/** Returns the text of a stream of server-sent events. */
export function streamedAnswer(dialect: Dialect, answer: Answer): string {
	switch (dialect) {
		case 'anthropic':
			return anthropicStream(answer).map(namedEvent).join('');
		case 'chat':
			return `${chatStream(answer).map(plainEvent).join('')}data: [DONE]\n\n`;
		case 'responses':
			return responsesStream(answer).map(namedEvent).join('');
		case 'gemini':
			return plainEvent(geminiResult(answer));
	}
}

function plainEvent(data: unknown): string {
	return `data: ${JSON.stringify(data)}\n\n`;
}

function namedEvent(data: Fields): string {
	return `event: ${data.type}\n${plainEvent(data)}`;
}

function callId({ id }: Answer, index: number): string {
	return `call_${id}_${index}`;
}

function anthropicMessage({ id, model }: Answer): Fields {
	return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function anthropicBlocks(answer: Answer): Fields[] {
	const { thinking } = answer;
	return [
		...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: `signed-${answer.id}` }]),
		...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text }]),
		...answer.calls.map(({ name, args }, index) => ({
			type: 'tool_use',
			id: callId(answer, index),
			name,
			input: args,
		})),
	];
}

function anthropicUsage({ usage }: Answer): Fields {
	const { input, output, cached } = usage;
	if (cached === undefined) {
		return {
			input_tokens: input,
			output_tokens: output,
			cache_creation_input_tokens: 0,
			cache_read_input_tokens: 0,
		};
	}
	return {
		input_tokens: 0,
		output_tokens: output,
		cache_creation_input_tokens: input - cached,
		cache_read_input_tokens: cached,
	};
}

function anthropicEnd(answer: Answer): Fields {
	return { stop_reason: answer.calls.length > 0 ? 'tool_use' : 'end_turn', usage: anthropicUsage(answer) };
}

function anthropicStream(answer: Answer): Fields[] {
	const begun = { ...anthropicUsage(answer), output_tokens: 1 };
	const blocks = anthropicBlocks(answer).flatMap((block, index): Fields[] => {
		const [empty, ...deltas] = anthropicDeltas(block);
		return [
			{ type: 'content_block_start', index, content_block: { ...block, ...empty } },
			...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
			{ type: 'content_block_stop', index },
		];
	});
	const { stop_reason, usage } = anthropicEnd(answer);
	return [
		{
			type: 'message_start',
			message: { ...anthropicMessage(answer), content: [], stop_reason: null, usage: begun },
		},
		...blocks,
		{ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
		{ type: 'message_stop' },
	];
}

/** Returns an empty block, and the deltas that complete it. */
function anthropicDeltas(block: Fields): [empty: Fields, ...deltas: Fields[]] {
	const { type, text, thinking, signature, input } = block;
	if (type === 'text') return [{ text: '' }, { type: 'text_delta', text }];
	if (type !== 'thinking')
		return [{ input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(input) }];
	return [
		{ thinking: '', signature: '' },
		{ type: 'thinking_delta', thinking },
		{ type: 'signature_delta', signature },
	];
}

function chatMessage(answer: Answer): Fields {
	const toolCalls = answer.calls.map(({ name, args }, index) => ({
		index,
		id: callId(answer, index),
		type: 'function',
		function: { name, arguments: JSON.stringify(args) },
	}));
	return {
		role: 'assistant',
		content: answer.text ?? null,
		...(toolCalls.length > 0 && { tool_calls: toolCalls }),
	};
}

function chatEnd({ calls }: Answer): string {
	return calls.length > 0 ? 'tool_calls' : 'stop';
}

function chatUsage({ usage }: Answer): Fields {
	return {
		prompt_tokens: usage.input,
		completion_tokens: usage.output,
		total_tokens: usage.input + usage.output,
		prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
	};
}

function chatStream(answer: Answer): Fields[] {
	const chunk = { id: answer.id, object: 'chat.completion.chunk', created: 1, model: answer.model };
	const delta = (value: Fields, end: string | null = null) => ({
		...chunk,
		choices: [{ index: 0, delta: value, finish_reason: end }],
	});
	return [
		delta(chatMessage(answer)),
		delta({}, chatEnd(answer)),
		{ ...chunk, choices: [], usage: chatUsage(answer) },
	];
}

function responsesItems(answer: Answer): Fields[] {
	const text = answer.text === undefined ? [] : [{ type: 'output_text', text: answer.text, annotations: [] }];
	return [
		...text.map((content) => ({
			type: 'message',
			id: `msg_${answer.id}`,
			role: 'assistant',
			status: 'completed',
			content: [content],
		})),
		...answer.calls.map(({ name, args, namespace }, index) => ({
			type: 'function_call',
			id: `fc_${answer.id}_${index}`,
			call_id: callId(answer, index),
			name,
			...(namespace !== undefined && { namespace }),
			arguments: JSON.stringify(args),
			status: 'completed',
		})),
	];
}

function responsesResult(answer: Answer, status: 'in_progress' | 'completed'): Fields {
	const { input, output } = answer.usage;
	const isDone = status === 'completed';
	return {
		id: `resp_${answer.id}`,
		object: 'response',
		created_at: 1,
		status,
		model: answer.model,
		output: isDone ? responsesItems(answer) : [],
		usage: isDone
			? {
					input_tokens: input,
					input_tokens_details: { cached_tokens: 0 },
					output_tokens: output,
					output_tokens_details: { reasoning_tokens: 0 },
					total_tokens: input + output,
				}
			: null,
	};
}

function responsesStream(answer: Answer): Fields[] {
	const items = responsesItems(answer).flatMap((item, index): Fields[] => [
		{ type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
		...(item.type === 'message'
			? [
					{
						type: 'response.output_text.delta',
						item_id: item.id,
						output_index: index,
						content_index: 0,
						delta: answer.text,
					},
				]
			: []),
		{ type: 'response.output_item.done', output_index: index, item },
	]);
	return [
		{ type: 'response.created', response: responsesResult(answer, 'in_progress') },
		...items,
		{ type: 'response.completed', response: responsesResult(answer, 'completed') },
	];
}

function geminiResult({ id, model, text, calls, usage }: Answer): Fields {
	const parts = [
		...(text === undefined ? [] : [{ text }]),
		...calls.map(({ name, args }) => ({ functionCall: { name, args } })),
	];
	return {
		candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
		usageMetadata: {
			promptTokenCount: usage.input,
			candidatesTokenCount: usage.output,
			totalTokenCount: usage.input + usage.output,
		},
		modelVersion: model,
		responseId: id,
	};
}
