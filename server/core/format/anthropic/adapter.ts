import type { ChatMessage, Usage } from '../../../protocol/conversation.ts';
import { countOrZero, fieldsAt, isFields } from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { withFigures } from '../wire/pieces.ts';
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
	return withFigures(splitMessage(fields), readUsage(fields.usage), fields.stop_reason, stopReasons);
}

/** The Messages API of Anthropic. */
export const anthropic: FormatAdapter = { name: 'anthropic', parse, render };
