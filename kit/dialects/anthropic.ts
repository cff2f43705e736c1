/** The dialect of Anthropic's Messages API. */

import { readAnthropicBlock, splitAnthropicMessage } from '../../server/core/format/anthropic/blocks.ts';
import { createAnthropicWriter, writeAnthropicResult } from '../../server/core/format/anthropic/write.ts';
import { type Fields, isFields, textOrEmpty } from '../../server/core/shape.ts';
import { createBlockDialect } from './blocks.ts';
import type { BlockMessage, Dialect } from './dialect.ts';

/** Returns the content of a result as text; undefined if it contains other blocks than text. */
function readContentText(content: unknown): string | undefined {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content) || !content.every((one) => isFields(one) && one.type === 'text'))
		return undefined;
	return content.map((one: Fields) => textOrEmpty(one.text)).join('\n');
}

/** Reads and writes raw messages of the Messages API. */
export const anthropicDialect: Dialect<BlockMessage> = createBlockDialect({
	name: 'anthropic',
	split: splitAnthropicMessage,
	readBlock: readAnthropicBlock,
	createWriter: createAnthropicWriter,
	createResultBlock: writeAnthropicResult,
	getEssence(block) {
		if (block.type === 'tool_result') return ['tool_result', block.tool_use_id, block.is_error === true];
		const { cache_control: _, ...withoutCacheMark } = block;
		return withoutCacheMark;
	},
	findResult(block) {
		if (block.type !== 'tool_result') return undefined;
		const text = readContentText(block.content);
		return text === undefined ? undefined : { callId: textOrEmpty(block.tool_use_id), text };
	},
	withText: (block, text) => ({ ...block, content: text }),
	canEndWithText: ({ role }) => role === 'user',
});
