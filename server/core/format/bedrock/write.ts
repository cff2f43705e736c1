import type { ChatMessage, ContentPart, ReasoningPart, ToolCall } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import type { RenderEntry, RenderLosses } from '../wire/adapter.ts';
import { toArgumentsObject } from '../wire/arguments.ts';
import { imagePlaceholder, toContentParts } from '../wire/content.ts';
import type { BlockWriter } from '../wire/layout.ts';
import { getBlockMember, writeBedrockImage } from './blocks.ts';

/** Members of opaque blocks that clients of the neutral format may pass in user messages. */
const acceptedInputMembers = ['document', 'video', 'audio', 'guardContent', 'cachePoint', 'searchResult'];
/** Members of opaque blocks that clients of the neutral format may pass in assistant messages. */
const acceptedOutputMembers = ['citationsContent', 'reasoningContent', 'cachePoint'];

function describeBlock(value: unknown): string {
	const [name] = isFields(value) ? Object.keys(value) : [];
	return name === undefined ? '' : ` "${name}"`;
}

/** Whether the blocks contain the same signed reasoning, which must be sent back unchanged or not at all. */
function containsReasoning(blocks: readonly unknown[], reasoning: ReasoningPart): boolean {
	return blocks.some((block) => {
		const originalReasoning = getBlockMember(getBlockMember(block, 'reasoningContent'), 'reasoningText');
		return originalReasoning?.text === reasoning.text && originalReasoning.signature === reasoning.signature;
	});
}

/** Returns a writer for the blocks of a message. */
export function createBedrockWriter(
	entry: RenderEntry,
	originalBlocks: readonly unknown[],
	losses: RenderLosses,
): BlockWriter {
	const { message } = entry;
	const format = entry.source?.format;
	const isOwn = format === 'bedrock';
	const isForeign = format !== undefined && !isOwn && format !== 'contextd';
	const acceptedMembers = message.role === 'assistant' ? acceptedOutputMembers : acceptedInputMembers;
	const reportLoss = (content: string): undefined => losses.add(content, message.id);
	return {
		writePart(part: ContentPart) {
			if (part.type === 'text') return { text: part.text };
			if (part.type === 'image') {
				const block = message.role === 'assistant' ? undefined : writeBedrockImage(part);
				return block ?? reportLoss('an image that Bedrock does not take');
			}
			if (part.type === 'opaque') {
				const { value } = part;
				const isKnown =
					!isForeign && isFields(value) && acceptedMembers.some((name) => value[name] !== undefined);
				return isOwn || isKnown ? value : reportLoss(`a part${describeBlock(value)}`);
			}
			if (part.signature === undefined || isForeign || message.role !== 'assistant')
				return reportLoss('reasoning that this provider did not sign');
			if (isOwn && !containsReasoning(originalBlocks, part))
				return reportLoss('signed reasoning that was changed');
			return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } };
		},
		writeCall: (call: ToolCall) => ({
			toolUse: { toolUseId: call.id, name: call.name, input: toArgumentsObject(call.args) },
		}),
	};
}

/** Writes a tool message as a block; keeps the fields of the original block. */
export function writeBedrockResult(message: ChatMessage, raw: unknown, writer: BlockWriter): unknown {
	const content = toContentParts(message.content)
		.map((part) => writer.writePart(part) ?? (part.type === 'image' ? { text: imagePlaceholder } : undefined))
		.filter((block) => block !== undefined);
	const rawFields = getBlockMember(raw, 'toolResult') ?? {};
	return {
		...(isFields(raw) ? raw : {}),
		toolResult: {
			...rawFields,
			toolUseId: message.toolCallId ?? '',
			content,
			...(message.isError === undefined ? {} : { status: message.isError ? 'error' : 'success' }),
		},
	};
}
