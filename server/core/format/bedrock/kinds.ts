import { isFields } from '../../shape.ts';
import { hashedId } from '../wire/callIds.ts';
import type { BlockKinds } from '../wire/turns.ts';
import { blockMemberOf } from './blocks.ts';

function withMember(block: unknown, name: string, fields: object): unknown {
	return isFields(block) ? { ...block, [name]: { ...blockMemberOf(block, name), ...fields } } : block;
}

function idIn(block: unknown, name: string): string | undefined {
	const id = blockMemberOf(block, name)?.toolUseId;
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Converse API. Its ids have at most 64 letters, digits, `_` and `-`. */
export const bedrockKinds: BlockKinds = {
	isEmptyText: (block) => isFields(block) && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => isFields(block) && block.reasoningContent !== undefined,
	isResult: (block) => blockMemberOf(block, 'toolResult') !== undefined,
	insideResult(block) {
		const content = blockMemberOf(block, 'toolResult')?.content;
		return Array.isArray(content) ? content : undefined;
	},
	withInside: (result, content) => withMember(result, 'toolResult', { content }),
	callId: (block) => idIn(block, 'toolUse'),
	withCallId: (call, toolUseId) => withMember(call, 'toolUse', { toolUseId }),
	answeredId: (block) => idIn(block, 'toolResult'),
	withAnsweredId: (result, toolUseId) => withMember(result, 'toolResult', { toolUseId }),
	ids: {
		unique: 'request',
		allowed: /^[a-zA-Z0-9_-]{1,64}$/,
		make: (text) => `tooluse_${hashedId(text, 13)}`,
	},
	text: (text) => ({ text }),
};
