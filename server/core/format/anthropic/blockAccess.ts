import { isFields } from '../../shape.ts';
import { createHashedId } from '../wire/callIds.ts';
import type { BlockAccess } from '../wire/turns.ts';

function readBlockType(block: unknown): unknown {
	return isFields(block) ? block.type : undefined;
}

function readBlockId(block: unknown, type: string, field: string): string | undefined {
	if (!isFields(block) || block.type !== type) return undefined;
	const id = block[field];
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Messages API. */
export const anthropicBlockAccess: BlockAccess = {
	isEmptyText: (block) =>
		isFields(block) && block.type === 'text' && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => ['thinking', 'redacted_thinking'].includes(readBlockType(block) as string),
	isResult: (block) => readBlockType(block) === 'tool_result',
	getInnerBlocks: (block) =>
		isFields(block) && block.type === 'tool_result' && Array.isArray(block.content)
			? block.content
			: undefined,
	replaceInnerBlocks: (result, content) => (isFields(result) ? { ...result, content } : result),
	getCallId: (block) => readBlockId(block, 'tool_use', 'id'),
	withCallId: (call, id) => (isFields(call) ? { ...call, id } : call),
	getAnsweredId: (block) => readBlockId(block, 'tool_result', 'tool_use_id'),
	withAnsweredId: (result, id) => (isFields(result) ? { ...result, tool_use_id: id } : result),
	idRule: {
		uniqueWithin: 'request',
		allowed: /^[a-zA-Z0-9_-]{1,128}$/,
		createId: (text) => `toolu_${createHashedId(text, 13)}`,
	},
	createText: (text) => ({ type: 'text', text }),
};
