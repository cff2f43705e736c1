/** The Messages API of Anthropic, with extended thinking. */

import { type Call, type Endpoint, type Fields, isFields, listOf, type Provider } from '../wire.ts';

const messageFields = new Set(['role', 'content']);
const blockTypes = new Set(['text', 'image', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result']);

function blocksOf(message: Fields | undefined): Fields[] {
	if (typeof message?.content === 'string') return [{ type: 'text', text: message.content }];
	return listOf(message?.content);
}

function ofType(message: Fields | undefined, type: string): Fields[] {
	return blocksOf(message).filter((block) => block.type === type);
}

function isEmptyText(block: Fields): boolean {
	return block.type === 'text' && String(block.text).trim() === '';
}

/** Describes the first rule that a message breaks, by itself or together with the message before it. */
function faultOf(
	message: Fields,
	index: number,
	all: readonly Fields[],
	signed: Map<string, string>,
): string | undefined {
	const where = `messages.${index}`;
	const extra = Object.keys(message).find((name) => !messageFields.has(name));
	if (extra) return `${where}.${extra}: Extra inputs are not permitted`;
	const expected = index % 2 === 0 ? 'user' : 'assistant';
	if (message.role !== expected) return 'messages: roles must alternate between "user" and "assistant"';
	const blocks = blocksOf(message);
	if (blocks.length === 0) return `${where}: all messages must have non-empty content`;
	if (blocks.some(isEmptyText)) return `${where}: text content blocks must be non-empty`;
	if (blocks.some((block) => listOf(block.content).some(isEmptyText))) {
		return `${where}: text content blocks must be non-empty`;
	}
	const unknown = blocks.find((block) => !blockTypes.has(String(block.type)));
	if (unknown) return `${where}.content: unexpected type ${unknown.type}`;
	const results = ofType(message, 'tool_result').map((block) => block.tool_use_id);
	const calls = ofType(all[index - 1], 'tool_use').map((block) => block.id);
	const stray = results.find((id) => !calls.includes(id));
	if (stray) return `${where}: unexpected tool_use_id found in tool_result blocks: ${stray}`;
	const missing = calls.find((id) => !results.includes(id));
	if (missing)
		return `${where}: tool_use ids were found without tool_result blocks immediately after: ${missing}`;
	const isResult = blocks.map((block) => block.type === 'tool_result');
	if (isResult.lastIndexOf(true) > isResult.indexOf(false) && isResult.includes(false)) {
		return `${where}: tool_result blocks must come first`;
	}
	if (new Set(results).size < results.length) return `${where}: each tool_use must have a single result`;
	for (const block of ofType(message, 'thinking')) {
		if (signed.get(String(block.signature)) !== block.thinking) {
			return `${where}: Invalid \`signature\` in \`thinking\` block`;
		}
	}
	return undefined;
}

/** Describes the last answer if it does not begin with thinking. Checks only requests that end with results of calls. */
function thinkingFault(all: readonly Fields[]): string | undefined {
	const last = all.at(-1);
	if (ofType(last, 'tool_result').length === 0 || ofType(last, 'text').length > 0) return undefined;
	const [first] = blocksOf(all.at(-2));
	if (first?.type === 'thinking' || first?.type === 'redacted_thinking') return undefined;
	return `messages.${all.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first?.type}\``;
}

function endpoint(): Endpoint {
	const signed = new Map<string, string>();
	let ids = 0;
	const error = (type: string, message: string) => ({ type: 'error', error: { type, message } });
	return {
		findBrokenRule({ messages, system, max_tokens }) {
			const all = listOf(messages);
			if (typeof max_tokens !== 'number') return 'max_tokens: Field required';
			if (listOf(system).some(isEmptyText)) return 'system: text content blocks must be non-empty';
			if (all.at(-1)?.role !== 'user') return 'This model does not support assistant message prefill.';
			const ids = all.flatMap((message) => ofType(message, 'tool_use').map((block) => block.id));
			if (new Set(ids).size < ids.length) return 'messages: `tool_use` ids must be unique';
			for (const [index, message] of all.entries()) {
				const fault = faultOf(message, index, all, signed);
				if (fault) return fault;
			}
			return thinkingFault(all);
		},
		refusal: (message) => error('invalid_request_error', message),
		computePromptLimit: (window, maxOutputTokens) => window - maxOutputTokens,
		overflow(actual, window, maxOutputTokens) {
			return error(
				'invalid_request_error',
				actual > window
					? `prompt is too long: ${actual} tokens > ${window} maximum`
					: `input length and \`max_tokens\` exceed context limit: ${actual} + ${maxOutputTokens} > ${window}, decrease input length or \`max_tokens\` and try again`,
			);
		},
		rateLimit: { status: 529, body: error('overloaded_error', 'Overloaded') },
		maxOutputOf: (body) => Number(body.max_tokens),
		answer(say, usage) {
			const thinking = `I consider step ${++ids}.`;
			const signature = `signature-${ids}`;
			signed.set(signature, thinking);
			const calls = say.calls.map(({ name, args }) => ({
				type: 'tool_use',
				id: `toolu_${++ids}`,
				name,
				input: args,
			}));
			const text = say.text === '' ? [] : [{ type: 'text', text: say.text }];
			return {
				id: `msg_a${ids}`,
				type: 'message',
				role: 'assistant',
				content: [{ type: 'thinking', thinking, signature }, ...text, ...calls],
				stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
				usage: { input_tokens: usage.input - 100, cache_read_input_tokens: 100, output_tokens: usage.output },
			};
		},
	};
}

/** Removes fields that a response has and a request must not have. */
function asSent(message: unknown): unknown {
	return isFields(message) ? { role: message.role, content: message.content } : message;
}

export const anthropic: Provider = {
	name: 'Anthropic Messages',
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
	format: 'anthropic',
	scale: 1.25,
	hidden: 340,
	statesFigures: true,
	sendsSystemPrompt: true,
	endpoint,
	opening: () => [],
	user: (text) => ({ role: 'user', content: text }),
	request: ({ messages, system }, setup) => ({
		model: setup.model,
		max_tokens: setup.maxOutputTokens,
		system: [{ type: 'text', text: setup.systemPrompt }, ...listOf(system)],
		tools: setup.tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
		messages: messages.map(asSent),
	}),
	read(response) {
		const calls = ofType(response, 'tool_use').map(
			({ id, name, input }): Call => ({ id: String(id), name: String(name), args: input as Fields }),
		);
		return { messages: [response], calls };
	},
	results: (outcomes) => [
		{
			role: 'user',
			content: outcomes.map(({ call, text, isError }) => ({
				type: 'tool_result',
				tool_use_id: call.id,
				content: text,
				...(isError && { is_error: true }),
			})),
		},
	],
};
