/** The Responses API of OpenAI, with encrypted reasoning. */

import { type Answer, type Endpoint, type Fields, isFields, listOf, type Provider } from '../wire.ts';

const types = ['message', 'reasoning', 'function_call', 'function_call_output'];

function typeOf(item: Fields | undefined): string {
	return String(item?.type ?? 'message');
}

function isAnswer(item: Fields | undefined): boolean {
	if (typeOf(item) === 'message') return item?.role === 'assistant';
	return typeOf(item) === 'function_call';
}

function pairFault(all: readonly Fields[]): string | undefined {
	const open = new Set<unknown>();
	for (const item of all) {
		if (typeOf(item) === 'function_call') open.add(item.call_id);
		if (typeOf(item) !== 'function_call_output') continue;
		if (!open.delete(item.call_id))
			return `No tool call found for function call output with call_id ${item.call_id}.`;
	}
	const [left] = open;
	return left === undefined ? undefined : `No tool output found for function call ${left}.`;
}

/** Describes reasoning without the item that it led to, or an item without its reasoning, by their ids. */
function reasoningFault(all: readonly Fields[], needs: ReadonlyMap<unknown, string>): string | undefined {
	for (const [index, item] of all.entries()) {
		const next = all[index + 1];
		if (typeOf(item) === 'reasoning' && (!isAnswer(next) || needs.get(next?.id) !== item.id)) {
			return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
		}
		const needed = needs.get(item.id);
		if (needed !== undefined && !all.slice(0, index).some((one) => one.id === needed)) {
			return `Item '${item.id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`;
		}
	}
	return undefined;
}

function endpoint(): Endpoint {
	const needs = new Map<unknown, string>();
	const sealed = new Map<unknown, string>();
	let ids = 0;
	const error = (message: string, code: string | null) => ({
		error: { message, type: 'invalid_request_error', param: 'input', code },
	});
	return {
		findBrokenRule({ input }) {
			const all = listOf(input);
			const odd = all.find((item) => !types.includes(typeOf(item)));
			if (odd) return `Invalid value: '${odd.type}'.`;
			const empty = all.find(
				(item) =>
					typeOf(item) === 'message' &&
					(item.content === null || listOf(item.content).length === 0) &&
					typeof item.content !== 'string',
			);
			if (empty) return "Missing required parameter: 'input.content'.";
			const extra = all.find((item) => item.usage !== undefined || item.metadata !== undefined);
			if (extra) return "Unknown parameter: 'input.usage'.";
			const broken = all.find(
				(item) => typeOf(item) === 'reasoning' && sealed.get(item.id) !== item.encrypted_content,
			);
			if (broken) return 'The encrypted content could not be verified.';
			return pairFault(all) ?? reasoningFault(all, needs);
		},
		refusal: (message) => error(message, null),
		computePromptLimit: (window, maxOutputTokens) => window - maxOutputTokens,
		overflow: () =>
			error(
				'Your input exceeds the context window of this model. Please adjust your input and try again.',
				'context_length_exceeded',
			),
		rateLimit: {
			status: 503,
			body: { error: { message: 'The server is overloaded or not ready yet.', code: null } },
		},
		maxOutputOf: (body) => Number(body.max_output_tokens),
		answer(say, usage) {
			const reasoning = {
				type: 'reasoning',
				id: `rs_${++ids}`,
				summary: [],
				encrypted_content: `sealed-${ids}`,
			};
			sealed.set(reasoning.id, reasoning.encrypted_content);
			const text = say.text === '' && say.calls.length > 0 ? [] : [say.text];
			const output = [
				...text.map((said) => ({
					type: 'message',
					id: `msg_${++ids}`,
					status: 'completed',
					role: 'assistant',
					content: [{ type: 'output_text', text: said, annotations: [] }],
				})),
				...say.calls.map(({ name, args }) => ({
					type: 'function_call',
					id: `fc_${++ids}`,
					call_id: `call_${ids}`,
					status: 'completed',
					name,
					arguments: JSON.stringify(args),
				})),
			];
			for (const item of output) needs.set(item.id, reasoning.id);
			return {
				id: `resp_${ids}`,
				object: 'response',
				status: 'completed',
				output: [reasoning, ...output],
				usage: { input_tokens: usage.input, output_tokens: usage.output },
			};
		},
	};
}

export const responses: Provider = {
	name: 'OpenAI Responses',
	provider: 'openai',
	model: 'gpt-5',
	format: 'openai-responses',
	scale: 1,
	hidden: 90,
	statesFigures: false,
	sendsSystemPrompt: false,
	endpoint,
	opening: ({ systemPrompt }) => [{ type: 'message', role: 'developer', content: systemPrompt }],
	user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
	request: ({ messages }, setup) => ({
		model: setup.model,
		max_output_tokens: setup.maxOutputTokens,
		store: false,
		tools: setup.tools.map((tool) => ({ type: 'function', ...tool })),
		input: messages,
	}),
	read(response): Answer {
		const usage = isFields(response.usage) ? response.usage : {};
		const output = listOf(response.output);
		return {
			messages: output,
			calls: output
				.filter((item) => item.type === 'function_call')
				.map((item) => ({
					id: String(item.call_id),
					name: String(item.name),
					args: JSON.parse(String(item.arguments)) as Fields,
				})),
			usage: { input: Number(usage.input_tokens), output: Number(usage.output_tokens) },
		};
	},
	results: (outcomes) =>
		outcomes.map(({ call, text }) => ({ type: 'function_call_output', call_id: call.id, output: text })),
};
