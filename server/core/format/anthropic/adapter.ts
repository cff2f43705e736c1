import type { ChatMessage, Usage } from '../../../protocol/conversation.ts';
import { countOrZero, isFields, requireFields } from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { renderTurns, type TurnFormat } from '../wire/renderTurns.ts';
import { addWireUsage, blockStops } from '../wire/sections.ts';
import type { WireTurn } from '../wire/turns.ts';
import { anthropicBlockAccess, readAnthropicBlock, splitAnthropicMessage } from './blocks.ts';
import { createAnthropicWriter, writeAnthropicResult } from './write.ts';

/** Reads usage figures. Anthropic's `input_tokens` already excludes both cache figures. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const { cache_creation: cacheCreation } = value;
	const forHour = isFields(cacheCreation) ? countOrZero(cacheCreation.ephemeral_1h_input_tokens) : 0;
	return {
		input: countOrZero(value.input_tokens),
		output: countOrZero(value.output_tokens),
		cacheRead: countOrZero(value.cache_read_input_tokens),
		cacheWrite: countOrZero(value.cache_creation_input_tokens),
		...(forHour > 0 && { cacheWriteForHour: forHour }),
	};
}

function parse(raw: unknown): ChatMessage[] {
	const fields = requireFields(raw, 'message');
	return addWireUsage(splitAnthropicMessage(fields), readUsage(fields.usage), fields.stop_reason, blockStops);
}

/** Writes a new turn; a single plain text becomes a string, the shortest form. */
function createTurnMessage(turn: WireTurn): unknown {
	const [only, ...others] = turn.blocks;
	const isPlain =
		others.length === 0 && isFields(only) && only.type === 'text' && Object.keys(only).length === 2;
	return { role: turn.role, content: isPlain ? only.text : turn.blocks };
}

const anthropicTurnFormat: TurnFormat = {
	name: 'anthropic',
	blockAccess: anthropicBlockAccess,
	split: splitAnthropicMessage,
	readBlock: readAnthropicBlock,
	createWriter: createAnthropicWriter,
	writeResult: writeAnthropicResult,
	createMessage: createTurnMessage,
};

/** Format of Anthropic's Messages API, with system messages as `system` blocks next to the messages. */
export const anthropicFormat: FormatAdapter = {
	name: 'anthropic',
	parse,
	render: (entries) => renderTurns(anthropicTurnFormat, entries),
};
