/** The common part of Chat Completions and its dialects. */

import { type Answer, type Call, type Dialogue, type Fields, isFields, listOf } from '../wire.ts';

export function callsOf(message: Fields | undefined): Fields[] {
	return listOf(message?.tool_calls);
}

/** Describes the first call that is not directly followed by its result, or the first result without its call. */
export function pairFault(all: readonly Fields[]): string | undefined {
	let open: unknown[] = [];
	for (const [index, message] of all.entries()) {
		if (message.role === 'tool') {
			if (!open.includes(message.tool_call_id)) {
				return `messages.[${index}]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
			}
			open = open.filter((id) => id !== message.tool_call_id);
			continue;
		}
		if (open.length > 0) {
			return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${open.join(', ')}`;
		}
		open = callsOf(message).map((call) => call.id);
		if (new Set(open).size < open.length) return `messages.[${index}]: a call id stands twice`;
	}
	return open.length > 0 ? `calls without results: ${open.join(', ')}` : undefined;
}

/** Describes the first message with a field or a content that the API refuses. */
export function shapeFault(all: readonly Fields[], fields: ReadonlySet<string>): string | undefined {
	for (const [index, message] of all.entries()) {
		const extra = Object.keys(message).find((name) => !fields.has(name));
		if (extra)
			return `Additional properties are not allowed ('${extra}' was unexpected) - 'messages.${index}'`;
		const { content, role } = message;
		const mayBeNull = role === 'assistant' && callsOf(message).length > 0;
		if ((content === null || content === undefined) && !mayBeNull) {
			return `Invalid value for 'content': expected a string, got null. messages.[${index}].content`;
		}
		for (const call of callsOf(message)) {
			const called = isFields(call.function) ? call.function : {};
			try {
				JSON.parse(String(called.arguments));
			} catch {
				return `messages.[${index}]: the arguments of ${String(called.name)} are no JSON`;
			}
		}
	}
	return undefined;
}

function readCall(call: Fields): Call {
	const called = isFields(call.function) ? call.function : {};
	return {
		id: String(call.id),
		name: String(called.name),
		args: JSON.parse(String(called.arguments)) as Fields,
	};
}

/** Returns the agent's side of Chat Completions; `limit` is the dialect's name of the output limit. */
export function chatDialogue(
	limit: string,
): Pick<Dialogue, 'opening' | 'user' | 'request' | 'read' | 'results' | 'format'> {
	return {
		format: 'openai',
		opening: ({ systemPrompt }) => [{ role: 'system', content: systemPrompt }],
		user: (text) => ({ role: 'user', content: text }),
		request: ({ messages }, setup) => ({
			model: setup.model,
			[limit]: setup.maxOutputTokens,
			tools: setup.tools.map((tool) => ({ type: 'function', function: tool })),
			messages,
		}),
		read(response): Answer {
			const [choice] = listOf(response.choices);
			const message = isFields(choice?.message) ? choice.message : {};
			const usage = isFields(response.usage) ? response.usage : {};
			return {
				messages: [message],
				calls: callsOf(message).map(readCall),
				usage: { input: Number(usage.prompt_tokens), output: Number(usage.completion_tokens) },
			};
		},
		results: (outcomes) =>
			outcomes.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
	};
}

/** Returns a response of Chat Completions; `nextId` makes the ids of calls. */
export function chatAnswer(
	say: { text: string; calls: { name: string; args: Fields }[] },
	usage: { input: number; output: number },
	nextId: () => string,
): unknown {
	const calls = say.calls.map(({ name, args }) => ({
		id: nextId(),
		type: 'function',
		function: { name, arguments: JSON.stringify(args) },
	}));
	const content = say.text === '' && calls.length > 0 ? null : say.text;
	const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
	return {
		object: 'chat.completion',
		choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
		usage: {
			prompt_tokens: usage.input,
			completion_tokens: usage.output,
			total_tokens: usage.input + usage.output,
		},
	};
}
