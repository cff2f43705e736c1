/** Chat Completions of OpenAI. */

import { type Endpoint, listOf, type Provider } from '../wire.ts';
import { callsOf, chatAnswer, chatDialogue, pairFault, shapeFault } from './chat.ts';

const fields = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'refusal', 'audio']);
const roles = ['system', 'developer', 'user', 'assistant', 'tool'];

function endpoint(): Endpoint {
	let ids = 0;
	const error = (message: string, code: string | null) => ({
		error: { message, type: 'invalid_request_error', param: 'messages', code },
	});
	return {
		findBrokenRule({ messages }) {
			const all = listOf(messages);
			if (all.length === 0) return "'messages' is empty";
			const odd = all.find((message) => !roles.includes(String(message.role)));
			if (odd) return `Invalid value: '${odd.role}'. Supported values are: ${roles.join(', ')}`;
			const long = all.flatMap(callsOf).find((call) => String(call.id).length > 40);
			if (long) return `string too long. Expected at most 40 characters: ${long.id}`;
			return shapeFault(all, fields) ?? pairFault(all);
		},
		refusal: (message) => error(message, null),
		computePromptLimit: (window, maxOutputTokens) => window - maxOutputTokens,
		overflow: (actual, window, maxOutputTokens) =>
			error(
				`This model's maximum context length is ${window} tokens. However, you requested ${actual + maxOutputTokens} tokens (${actual} in the messages, ${maxOutputTokens} in the completion). Please reduce the length of the messages or completion.`,
				'context_length_exceeded',
			),
		rateLimit: {
			status: 429,
			body: {
				error: {
					message:
						'Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 90000, Used 88000, Requested 4000.',
					type: 'tokens',
					code: 'rate_limit_exceeded',
				},
			},
		},
		maxOutputOf: (body) => Number(body.max_completion_tokens),
		answer: (say, usage) => chatAnswer(say, usage, () => `call_${++ids}`),
	};
}

export const openai: Provider = {
	name: 'OpenAI Chat Completions',
	provider: 'openai',
	model: 'gpt-4o',
	scale: 1,
	hidden: 40,
	statesFigures: true,
	sendsSystemPrompt: true,
	endpoint,
	...chatDialogue('max_completion_tokens'),
};
