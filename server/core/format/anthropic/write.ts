import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { isFields, textOrEmpty } from '../../shape.ts';
import type { RenderEntry, RenderLosses } from '../wire/adapter.ts';
import { toArgumentsObject } from '../wire/arguments.ts';
import { toContentParts } from '../wire/content.ts';
import type { BlockWriter } from '../wire/layout.ts';
import { writeAnthropicImage } from './blocks.ts';

/** Types of opaque parts that clients of the neutral format may pass in user messages and tool results. */
const acceptedInputTypes = new Set(['document', 'search_result', 'container_upload']);

/** Types of opaque parts that clients of the neutral format may pass in assistant messages. */
const acceptedOutputTypes = new Set([
	'redacted_thinking',
	'server_tool_use',
	'web_search_tool_result',
	'web_fetch_tool_result',
	'code_execution_tool_result',
	'compaction',
]);

function describeType(value: unknown): string {
	return isFields(value) && typeof value.type === 'string' ? ` "${value.type}"` : '';
}

/** Whether the blocks contain the same signed thinking, which must be sent back unchanged or not at all. */
function hasThinking(blocks: readonly unknown[], thinking: { text: string; signature?: string }): boolean {
	return blocks.some(
		(block) => isFields(block) && block.thinking === thinking.text && block.signature === thinking.signature,
	);
}

/** Returns a writer for the blocks of a message. */
export function createAnthropicWriter(
	entry: RenderEntry,
	originalBlocks: readonly unknown[],
	losses: RenderLosses,
): BlockWriter {
	const { message } = entry;
	const format = entry.source?.format;
	const acceptedTypes = message.role === 'assistant' ? acceptedOutputTypes : acceptedInputTypes;
	const isForeign = format !== undefined && format !== 'anthropic' && format !== 'contextd';
	const reportLoss = (content: string): undefined => losses.add(content, message.id);
	return {
		writePart(part: ContentPart) {
			if (part.type === 'text') return { type: 'text', text: part.text };
			if (part.type === 'image') return writeAnthropicImage(part) ?? reportLoss('an image without data');
			if (part.type === 'opaque') {
				const isKnown = isFields(part.value) && acceptedTypes.has(textOrEmpty(part.value.type));
				return format === 'anthropic' || (isKnown && !isForeign)
					? part.value
					: reportLoss(`a part${describeType(part.value)}`);
			}
			if (part.signature === undefined || isForeign || message.role !== 'assistant')
				return reportLoss('reasoning that this provider did not sign');
			if (format === 'anthropic' && !hasThinking(originalBlocks, part))
				return reportLoss('signed reasoning that was changed');
			return { type: 'thinking', thinking: part.text, signature: part.signature };
		},
		writeCall: (call: ToolCall) => ({
			type: 'tool_use',
			id: call.id,
			name: call.name,
			input: toArgumentsObject(call.args),
		}),
	};
}

/** Writes a tool message as a block; keeps the fields of the original block. */
export function writeAnthropicResult(message: ChatMessage, raw: unknown, writer: BlockWriter): unknown {
	const content =
		typeof message.content === 'string'
			? message.content
			: toContentParts(message.content)
					.map(writer.writePart)
					.filter((block) => block !== undefined);
	const rawFields = isFields(raw) ? raw : {};
	return {
		...rawFields,
		type: 'tool_result',
		tool_use_id: message.toolCallId ?? '',
		content,
		...(message.isError === undefined ? {} : { is_error: message.isError }),
	};
}
