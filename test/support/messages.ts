/** Short ways to write messages in tests. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** Returns prose of about `words` words, different for each seed. */
export function prose(words: number, seed = 0): string {
	const stock = [
		'alpha',
		'river',
		'token',
		'window',
		'stone',
		'signal',
		'garden',
		'metric',
		'socket',
		'paper',
	];
	return Array.from(
		{ length: words },
		(_, index) => stock[(index * 7 + seed * 3 + (index >> 3)) % stock.length],
	).join(' ');
}

/** Returns lines of a generated log, each with a file and a number. */
export function logLines(count: number, seed = 0): string {
	return Array.from(
		{ length: count },
		(_, index) =>
			`line ${index} of run ${seed}: src/module${(index * 13 + seed) % 97}/part.ts took ${index * 7 + seed} ms`,
	).join('\n');
}

export function user(
	id: string,
	content: ChatMessage['content'],
	more: Partial<ChatMessage> = {},
): ChatMessage {
	return { id, role: 'user', content, ...more };
}

export function answer(
	id: string,
	content: ChatMessage['content'],
	more: Partial<ChatMessage> = {},
): ChatMessage {
	return { id, role: 'assistant', content, ...more };
}

export function system(id: string, content: string): ChatMessage {
	return { id, role: 'system', content };
}

/** Returns an assistant message that calls a tool once for each call id. */
export function call(
	id: string,
	callIds: readonly string[],
	name = 'run',
	args: unknown = {},
	more: Partial<ChatMessage> = {},
): ChatMessage {
	return {
		id,
		role: 'assistant',
		content: '',
		toolCalls: callIds.map((callId) => ({ id: callId, name, args })),
		...more,
	};
}

export function result(
	id: string,
	callId: string,
	content: ChatMessage['content'],
	more: Partial<ChatMessage> = {},
): ChatMessage {
	return { id, role: 'tool', toolCallId: callId, content, ...more };
}

/** Returns a task, then turns of a call, a result of `lines` log lines, and a remark on it. */
export function toolSession(turns: number, lines = 40): ChatMessage[] {
	return [
		user('u0', 'Please make the tests of the parser pass.'),
		...Array.from({ length: turns }, (_, index) => [
			call(`c${index}`, [`call-${index}`], 'run', { command: `npm test -- part${index}` }),
			result(`r${index}`, `call-${index}`, logLines(lines, index), { toolName: 'run' }),
			answer(`a${index}`, `Part ${index} is done. ${prose(20, index)}`),
		]).flat(),
		user('un', 'And now the documentation.'),
	];
}

/** Returns a user message without an id. */
export function userSays(content: string, more: Partial<ChatMessage> = {}): ChatMessage {
	return { role: 'user', content, ...more };
}

/** Returns an answer without an id. */
export function assistantSays(content: string, more: Partial<ChatMessage> = {}): ChatMessage {
	return { role: 'assistant', content, ...more };
}
