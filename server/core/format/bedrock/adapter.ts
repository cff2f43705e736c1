import type { ChatMessage, Usage } from '../../../protocol/conversation.ts';
import { countOrZero, isFields, requireFields } from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { renderTurns, type TurnFormat } from '../wire/renderTurns.ts';
import { addWireUsage, blockStops } from '../wire/sections.ts';
import { bedrockBlockAccess, readBedrockBlock, splitBedrockMessage } from './blocks.ts';
import { createBedrockWriter, writeBedrockResult } from './write.ts';

/** Reads usage figures. The API's `inputTokens` excludes both cache figures. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	return {
		input: countOrZero(value.inputTokens),
		output: countOrZero(value.outputTokens),
		cacheRead: countOrZero(value.cacheReadInputTokens),
		cacheWrite: countOrZero(value.cacheWriteInputTokens),
	};
}

function parse(raw: unknown): ChatMessage[] {
	const fields = requireFields(raw, 'message');
	return addWireUsage(splitBedrockMessage(fields), readUsage(fields.usage), fields.stopReason, blockStops);
}

const bedrockTurnFormat: TurnFormat = {
	name: 'bedrock',
	blockAccess: bedrockBlockAccess,
	split: splitBedrockMessage,
	readBlock: readBedrockBlock,
	createWriter: createBedrockWriter,
	writeResult: writeBedrockResult,
	createMessage: ({ role, blocks }) => ({ role, content: blocks }),
};

/** Format of Amazon Bedrock's Converse API, with system messages as `system` blocks next to the messages. */
export const bedrockFormat: FormatAdapter = {
	name: 'bedrock',
	parse,
	render: (entries) => renderTurns(bedrockTurnFormat, entries),
};
