import { isFields } from '../../shape.ts';
import { hashedId } from '../wire/callIds.ts';
import type { BlockKinds } from '../wire/turns.ts';

function typeOf(block: unknown): unknown {
	return isFields(block) ? block.type : undefined;
}

function idIn(block: unknown, type: string, field: string): string | undefined {
	if (!isFields(block) || block.type !== type) return undefined;
	const id = block[field];
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Messages API. */
export const anthropicKinds: BlockKinds = {
	isEmptyText: (block) =>
		isFields(block) && block.type === 'text' && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => ['thinking', 'redacted_thinking'].includes(typeOf(block) as string),
	isResult: (block) => typeOf(block) === 'tool_result',
	insideResult: (block) =>
		isFields(block) && block.type === 'tool_result' && Array.isArray(block.content)
			? block.content
			: undefined,
	withInside: (result, content) => (isFields(result) ? { ...result, content } : result),
	callId: (block) => idIn(block, 'tool_use', 'id'),
	withCallId: (call, id) => (isFields(call) ? { ...call, id } : call),
	answeredId: (block) => idIn(block, 'tool_result', 'tool_use_id'),
	withAnsweredId: (result, id) => (isFields(result) ? { ...result, tool_use_id: id } : result),
	ids: {
		unique: 'request',
		allowed: /^[a-zA-Z0-9_-]{1,128}$/,
		make: (text) => `toolu_${hashedId(text, 13)}`,
	},
	text: (text) => ({ type: 'text', text }),
};
