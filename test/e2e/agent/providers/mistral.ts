/** Chat completions of Mistral. */

import { type Endpoint, listOf, type Provider } from '../wire.ts';
import { callsOf, chatAnswer, chatDialogue, pairFault, shapeFault } from './chat.ts';

const fields = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix']);

/** For each role, the roles that may follow it. */
const following: Readonly<Record<string, readonly string[]>> = {
	system: ['user', 'assistant', 'system'],
	user: ['assistant', 'system', 'user'],
	assistant: ['assistant', 'user', 'tool'],
	tool: ['assistant', 'tool'],
};

function endpoint(): Endpoint {
	let ids = 0;
	const error = (message: string, code: string) => ({
		object: 'error',
		message,
		type: 'invalid_request_error',
		code,
	});
	return {
		findBrokenRule({ messages }) {
			const all = listOf(messages);
			const last = String(all.at(-1)?.role);
			if (last !== 'user' && last !== 'tool') {
				return `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`;
			}
			for (const [index, message] of all.entries()) {
				const before = all[index - 1];
				if (before && !following[String(before.role)]?.includes(String(message.role))) {
					return `Unexpected role '${message.role}' after role '${before.role}'`;
				}
			}
			const odd = all.flatMap(callsOf).find((call) => !/^[a-zA-Z0-9]{9}$/.test(String(call.id)));
			if (odd) return `Tool call id was ${odd.id} but must be a-z, A-Z, 0-9, with a length of 9.`;
			const ids = all.flatMap(callsOf).map((call) => call.id);
			if (new Set(ids).size < ids.length) return 'Duplicate tool call id';
			return shapeFault(all, fields) ?? pairFault(all);
		},
		refusal: (message) => error(message, '3230'),
		computePromptLimit: (window) => window,
		overflow: (actual, window) =>
			error(
				`Prompt contains ${actual} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
				'3051',
			),
		rateLimit: { status: 429, body: { message: 'Requests rate limit exceeded' } },
		maxOutputOf: (body) => Number(body.max_tokens),
		answer: (say, usage) => chatAnswer(say, usage, () => `c${String(++ids).padStart(8, '0')}`),
	};
}

export const mistral: Provider = {
	name: 'Mistral chat',
	provider: 'mistral',
	model: 'mistral-large-latest',
	scale: 1.15,
	hidden: 60,
	statesFigures: true,
	sendsSystemPrompt: false,
	endpoint,
	...chatDialogue('max_tokens'),
};
