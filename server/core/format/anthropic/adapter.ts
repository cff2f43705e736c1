import type { ChatMessage, Usage } from '../../../protocol/conversation.ts';
import { countOrZero, fieldsAt, isFields } from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { splitMessage } from './blocks.ts';
import { render } from './render.ts';

const stopReasons: Record<string, string> = {
	end_turn: 'stop',
	stop_sequence: 'stop',
	max_tokens: 'length',
	tool_use: 'tool',
};

/** Anthropic's figures need no correction: `input_tokens` already excludes both cache figures. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	return {
		input: countOrZero(value.input_tokens),
		output: countOrZero(value.output_tokens),
		cacheRead: countOrZero(value.cache_read_input_tokens),
		cacheWrite: countOrZero(value.cache_creation_input_tokens),
	};
}

function parse(raw: unknown): ChatMessage[] {
	const fields = fieldsAt(raw, 'message');
	const messages = splitMessage(fields).map((piece) => piece.message);
	const [first] = messages;
	if (first?.role !== 'assistant') return messages;
	const usage = readUsage(fields.usage);
	if (usage) first.usage = usage;
	const { stop_reason: reason } = fields;
	if (typeof reason === 'string') first.stopReason = stopReasons[reason] ?? reason;
	return messages;
}

/** The Messages API of Anthropic. */
export const anthropic: FormatAdapter = { name: 'anthropic', parse, render };
