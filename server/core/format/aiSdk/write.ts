import type {
	ChatMessage,
	ContentPart,
	ImagePart,
	ReasoningPart,
	ToolCall,
} from '../../../protocol/conversation.ts';
import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import type { RenderEntry, RenderLosses } from '../wire/adapter.ts';
import { describePart, joinPlainText } from '../wire/content.ts';
import { findSourceIn } from '../wire/grouping.ts';
import { arrangeBlocks, type BlockWriter } from '../wire/layout.ts';
import { writeToolOutput } from './output.ts';
import { findSignature, readAiSdkPart, splitAiSdkMessage } from './parts.ts';

/** Types of opaque parts that clients of the neutral format may pass. */
const acceptedTypes: ReadonlySet<string> = new Set(['file', 'tool-approval-request']);

function writeImage(image: ImagePart, role: ChatMessage['role']): unknown {
	const data = image.data ?? image.uri;
	if (data === undefined) return undefined;
	return role === 'user'
		? { type: 'image', image: data, mediaType: image.mediaType }
		: { type: 'file', data: data, mediaType: image.mediaType };
}

/** Whether the blocks contain the same signed reasoning, which must be sent back unchanged or not at all. */
function containsReasoning(blocks: readonly unknown[], reasoning: ReasoningPart): boolean {
	return blocks.some(
		(block) =>
			isFields(block) && block.text === reasoning.text && findSignature(block) === reasoning.signature,
	);
}

/** Writes reasoning. A signature is written as Anthropic's; callers omit reasoning that another provider signed. */
function writeReasoning({ text, signature }: ReasoningPart): Fields {
	const signatureOptions = signature === undefined ? {} : { providerOptions: { anthropic: { signature } } };
	return { type: 'reasoning', text, ...signatureOptions };
}

export function createPartWriter(
	{ message, source }: RenderEntry,
	originalParts: readonly unknown[],
	losses: RenderLosses,
): BlockWriter {
	const format = source?.format;
	const isOwn = format === 'ai-sdk';
	const hasAnthropics = format === undefined || format === 'contextd' || format === 'anthropic';
	const reportLoss = (content: string): undefined => losses.add(content, message.id);
	return {
		writePart(part: ContentPart) {
			if (part.type === 'text') return { type: 'text', text: part.text };
			if (part.type === 'image') return writeImage(part, message.role) ?? reportLoss('an image without data');
			if (part.type === 'opaque') {
				const type = isFields(part.value) ? textOrEmpty(part.value.type) : '';
				const isKnown = (format === undefined || format === 'contextd') && acceptedTypes.has(type);
				return isOwn || isKnown ? part.value : reportLoss(describePart(part.value));
			}
			if (message.role !== 'assistant') return reportLoss('reasoning that is no model’s');
			if (part.signature === undefined) return writeReasoning(part);
			if (isOwn && !containsReasoning(originalParts, part))
				return reportLoss('signed reasoning that was changed');
			return isOwn || hasAnthropics
				? writeReasoning(part)
				: reportLoss('reasoning that another provider signed');
		},
		writeCall: (call: ToolCall) => ({
			type: 'tool-call',
			toolCallId: call.id,
			toolName: call.name,
			input: call.args ?? {},
		}),
	};
}

/** Writes a tool message as a part; keeps the fields of the original part. */
export function writeResultPart(entry: RenderEntry, originalPart: unknown, losses: RenderLosses): Fields {
	const { message } = entry;
	const { result: _, isError: __, ...kept } = isFields(originalPart) ? originalPart : {};
	return {
		...kept,
		type: 'tool-result',
		toolCallId: message.toolCallId ?? '',
		toolName: message.toolName ?? 'unknown_tool',
		output: writeToolOutput(message, entry.source?.format === 'ai-sdk', (content) =>
			losses.add(content, message.id),
		),
	};
}

/** Returns a single text as a string if the original was a string or is missing; otherwise returns the parts. */
function writeAiSdkContent(parts: unknown[], wasString: boolean): string | unknown[] {
	const [only, ...others] = parts;
	if (only === undefined) return '';
	const isPlain = others.length === 0 && isFields(only) && only.type === 'text';
	return wasString && isPlain ? textOrEmpty(only.text) : parts;
}

/** Writes a neutral message, or an unchanged part of a wire message, as a ModelMessage. */
export function writeAiSdkMessage(entry: RenderEntry, losses: RenderLosses): Fields {
	const { message, isChanged } = entry;
	const source = findSourceIn('ai-sdk', entry);
	const raw = isFields(source?.raw) ? source.raw : undefined;
	const blocks = raw && source ? (splitAiSdkMessage(raw)[source.partIndex]?.blocks ?? []) : [];
	if (raw && !isChanged) return { ...raw, content: blocks };
	const rawFields = raw ?? {};
	if (message.role === 'tool')
		return { ...rawFields, role: 'tool', content: [writeResultPart(entry, blocks[0], losses)] };
	if (message.role === 'system')
		return { ...rawFields, role: 'system', content: joinPlainText(message.content) };
	const parts = arrangeBlocks(
		message,
		blocks,
		(block) => readAiSdkPart(block, 'content'),
		createPartWriter(entry, blocks, losses),
	);
	const wasString = raw === undefined || typeof raw.content === 'string';
	return { ...rawFields, role: message.role, content: writeAiSdkContent(parts, wasString) };
}
