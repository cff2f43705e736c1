/** Whether messages are fit to be handed on: what is wrong there is sent as it is, and the turn is lost. */

import type { BlockMessage } from '../../kit/index.ts';
import { isFields } from '../../server/core/shape.ts';

/**
 * Whether a list of messages is one that the Messages API takes as far as this can be told: it begins with the user,
 * nothing in it is empty, and calls and results stand in pairs, message by message.
 */
export function isSound(messages: readonly BlockMessage[]): boolean {
	if (messages.find(({ role }) => role !== 'system')?.role !== 'user') return false;
	let open: ReadonlySet<string> = new Set();
	for (const { role, content } of messages) {
		if (isEmpty(content)) return false;
		if (role === 'system') continue;
		const answered = idsOf(content, 'tool_result', 'tool_use_id');
		if (answered.size !== open.size || [...answered].some((id) => !open.has(id))) return false;
		open = role === 'assistant' ? idsOf(content, 'tool_use', 'id') : new Set();
	}
	return open.size === 0;
}

function isEmpty(content: unknown): boolean {
	return !(typeof content === 'string' || Array.isArray(content)) || content.length === 0;
}

function idsOf(content: unknown, type: string, name: string): Set<string> {
	if (!Array.isArray(content)) return new Set();
	const blocks = content.filter(isFields).filter((block) => block.type === type);
	return new Set(blocks.map((block) => String(block[name])));
}
