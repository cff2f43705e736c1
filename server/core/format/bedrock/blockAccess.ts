import { isFields } from '../../shape.ts';
import { createHashedId } from '../wire/callIds.ts';
import type { BlockAccess } from '../wire/turns.ts';
import { getBlockMember } from './blocks.ts';

function mergeMember(block: unknown, name: string, fields: object): unknown {
	return isFields(block) ? { ...block, [name]: { ...getBlockMember(block, name), ...fields } } : block;
}

function readBlockId(block: unknown, name: string): string | undefined {
	const id = getBlockMember(block, name)?.toolUseId;
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Converse API, whose call ids have at most 64 letters, digits, `_` and `-`. */
export const bedrockBlockAccess: BlockAccess = {
	isEmptyText: (block) => isFields(block) && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => isFields(block) && block.reasoningContent !== undefined,
	isResult: (block) => getBlockMember(block, 'toolResult') !== undefined,
	getInnerBlocks(block) {
		const content = getBlockMember(block, 'toolResult')?.content;
		return Array.isArray(content) ? content : undefined;
	},
	replaceInnerBlocks: (result, content) => mergeMember(result, 'toolResult', { content }),
	getCallId: (block) => readBlockId(block, 'toolUse'),
	withCallId: (call, toolUseId) => mergeMember(call, 'toolUse', { toolUseId }),
	getAnsweredId: (block) => readBlockId(block, 'toolResult'),
	withAnsweredId: (result, toolUseId) => mergeMember(result, 'toolResult', { toolUseId }),
	idRule: {
		uniqueWithin: 'request',
		allowed: /^[a-zA-Z0-9_-]{1,64}$/,
		createId: (text) => `tooluse_${createHashedId(text, 13)}`,
	},
	createText: (text) => ({ text }),
};
